# SPDX-License-Identifier: Apache-2.0
"""`layout ompd` in a terminal, at two widths, and its clicks."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from support.build import build
from support.gdb_session import EXTENSION, START, clean_environment, run_gdb

CLICK = """
class Window:
    title, width, height = "", 60, 10
    def is_valid(self): return True
    def erase(self): self.text = ""
    def write(self, text, full=False): self.text = text
from gdb_ompd.control.window import OmpdWindow
window = Window()
shown = OmpdWindow(window)
shown.render()
lines = window.text.split(chr(10))
print(lines)
at = next(n for n, line in enumerate(lines) if "(GDB 2)" in line)
shown.click(3, at, 1)
print("selected", gdb.selected_thread().num)
shown.click(3, 500, 1)
shown.vscroll(1000)
print("last", window.text.split(chr(10))[-1])
shown.hscroll(4)
print("cut", window.text.split(chr(10))[-1])
shown.close()
"""


def test_a_click_selects_and_it_scrolls(tmp_path: Path) -> None:
    script = tmp_path / "click.py"
    script.write_text(CLICK)
    done = run_gdb(["break truth_stop", "run", "thread 1", f"source {script}"], build("nested.c"))
    assert "selected 2" in done.stdout and "Error" not in done.stderr, done
    last = re.search(r"^last (.*)$", done.stdout, re.MULTILINE)
    cut = re.search(r"^cut (.*)$", done.stdout, re.MULTILINE)
    assert last and cut and cut[1].startswith(last[1][4:]) and len(last[1]) <= 60


def test_without_a_program_it_says_so(tmp_path: Path) -> None:
    script = tmp_path / "none.py"
    script.write_text(CLICK.split("lines =")[0] + "print(window.text)\n")
    assert "no process: start one" in run_gdb([f"source {script}"]).stdout


@pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux on this machine")
@pytest.mark.parametrize("columns", [80, 200])
def test_it_follows_the_program(columns: int, tmp_path: Path) -> None:
    tmux = ["tmux", "-L", f"gdb-ompd-{columns}-{tmp_path.name}", "-f", "/dev/null"]
    gdb = ["gdb", *START, "-q", "-ex", "set pagination off"]
    gdb += ["-ex", "set style enabled off", "-ex", f"source {EXTENSION}", str(build("nested.c"))]
    size = ["-x", str(columns), "-y", "40"]
    environment = clean_environment({"TERM": "xterm"})

    def screen() -> str:
        done = subprocess.run(
            [*tmux, "capture-pane", "-p"], env=environment, capture_output=True, text=True
        )
        return done.stdout

    def until(words: str) -> str:
        for _ in range(150):
            shown = screen()
            if words in shown:
                return shown
            time.sleep(0.1)
        raise AssertionError(f"no {words!r} in\n{shown}")

    def say(command: str) -> None:
        subprocess.run([*tmux, "send-keys", command, "Enter"], env=environment, check=True)

    def click(words: str) -> None:
        """Press and release the left button where WORDS are, as the program wants to be told."""
        row = next(n for n, line in enumerate(screen().splitlines(), 1) if words in line)
        asked = [*tmux, "display-message", "-p", "#{mouse_any_flag}#{mouse_sgr_flag}"]
        wants = subprocess.run(asked, env=environment, capture_output=True, text=True).stdout
        assert wants[0] == "1", "gdb takes no clicks"
        keys = f"\033[<0;5;{row}M\033[<0;5;{row}m"
        if wants[1] != "1":
            keys = f"\033[M {chr(37)}{chr(32 + row)}\033[M#{chr(37)}{chr(32 + row)}"
        subprocess.run([*tmux, "send-keys", "-l", keys], env=environment, check=True)

    subprocess.run(
        [*tmux, "new-session", "-d", *size, shlex.join(gdb)], env=environment, check=True
    )
    try:
        until("(gdb)")
        say("layout ompd")
        until("no process: start one")
        say("break truth_stop")
        say("run")
        shown = until("Region 1  level 1")
        assert "* 0 (GDB 1)" in shown and "OpenMP" in shown
        assert max(map(len, shown.splitlines())) <= columns
        click(" 1 (GDB 2)")
        until("* 1 (GDB 2)")
        say("thread 3")
        until("* 1 (GDB 3)")
        say("continue")
        until("* 0 (GDB 1)")
        say("ompd thread 1")
        # Right below what was typed: GDB's windows do not know what is written past them.
        until("in truth_hold ()")
        assert "(gdb) ompd thread 1\n[Switching to thread " in screen()
        say("ompd frame 0")
        until("(gdb) ompd frame 0\n#0  ")
        say("thread 1")
        until("* 0 (GDB 1)")
        say("tui disable")
        say("ompd threads")
        until("*   1" if columns == 80 else "* ")
    finally:
        subprocess.run([*tmux, "kill-server"], env=environment)
