# SPDX-License-Identifier: Apache-2.0
"""The commands at a real terminal: styles, TAB, the pager, Ctrl-C, one-line errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pexpect  # type: ignore[import]
import pytest
from support.build import build
from support.gdb_session import EXTENSION, START, clean_environment

PROMPT = "(gdb) "
PAGER = "--Type <RET> for more, q to quit, c to continue without paging--"
STYLE = re.compile(r"\x1b\[[0-9;]*m")
PASTE_MODE = re.compile(r"\x1b\[\?2004[hl]\r?")  # readline writes it around each line
BUGS = ("Traceback", "Python Exception", "Error occurred in Python")


class Terminal:
    """A gdb that a user sits at."""

    def __init__(self, program: Path | None = None) -> None:
        argv = [*START, "-q", "-ex", f"source {EXTENSION}"]
        self.child = pexpect.spawn(
            "gdb",
            [*argv, *([str(program)] if program else [])],
            env=clean_environment({"TERM": "xterm", "INPUTRC": "/dev/null"}),
            encoding="utf-8",
            timeout=60,
            dimensions=(24, 120),
        )
        self.until(PROMPT)
        self.say("set confirm off")
        self.say("set style emoji off")  # newer debuggers have one before errors
        self.say("set pagination off")

    def until(self, text: str) -> str:
        """Return what the terminal shows before TEXT, with plain line ends."""
        self.child.expect_exact(text)
        shown = PASTE_MODE.sub("", str(self.child.before)).replace("\r\n", "\n")
        for bug in BUGS:
            assert bug not in shown, shown
        return shown

    def answer(self) -> str:
        """Return what comes between the line that was typed and the next prompt."""
        return self.until(PROMPT).partition("\n")[2]

    def say(self, command: str) -> str:
        """Return what COMMAND shows, with its styles."""
        self.child.sendline(command)
        return self.answer()

    def text(self, command: str) -> str:
        """Return what COMMAND shows, without styles."""
        return STYLE.sub("", self.say(command))

    def assert_usable(self) -> None:
        """GDB obeys, and the extension answers as ever."""
        assert self.text("print 6*7").endswith(" = 42\n")
        assert "truth_stop" in self.text("ompd threads")


@pytest.fixture(name="stopped")
def fixture_stopped() -> Iterator[Terminal]:
    """A terminal with sixty-four threads at a stop."""
    terminal = Terminal(build("oversubscribed.c"))
    terminal.say("break truth_stop")
    terminal.child.sendline("run")
    terminal.until("hit Breakpoint 1")
    terminal.until(PROMPT)
    yield terminal
    terminal.child.close(force=True)


@pytest.fixture(name="fresh")
def fixture_fresh() -> Iterator[Terminal]:
    """A terminal without a program."""
    terminal = Terminal()
    yield terminal
    terminal.child.close(force=True)


# Widths.


@pytest.mark.parametrize("width", [80, 200])
def test_no_listing_is_wider_than_the_screen(stopped: Terminal, width: int) -> None:
    stopped.say(f"set width {width}")
    commands = ("threads", "threads -all", "parallel -all", "tasks -all", "icvs -all", "env", "why")
    for command in commands:
        shown = stopped.text(f"ompd {command}").splitlines()
        assert len(shown) > 1, command
        assert [line for line in shown if len(line) > width] == [], command


def test_a_handler_of_the_prompt_that_asks(stopped: Terminal) -> None:
    asked = "said.append(gdb.execute('ompd threads', to_string=True))"
    stopped.say(f"python said = []; gdb.events.before_prompt.connect(lambda: {asked})")
    stopped.say("delete")
    stopped.say("tbreak truth_end")
    assert "hit Temporary breakpoint" in stopped.text("continue")
    assert "truth_end" in stopped.text("python print(said[-1])")


# Styles.


def test_functions_look_as_in_gdbs_own_listings(stopped: Terminal) -> None:
    frame = stopped.say("frame")
    function = re.search(r"(\x1b\[[0-9;]+m)truth_stop\x1b\[m", frame)
    assert function is not None, repr(frame)
    assert f"{function.group(1)}truth_stop\x1b[m" in stopped.say("ompd threads")


def test_styles_can_be_switched_off(stopped: Terminal) -> None:
    styled = stopped.say("ompd threads")
    stopped.say("set style enabled off")
    plain = stopped.say("ompd threads")
    assert STYLE.search(styled) is not None
    assert STYLE.search(plain) is None
    assert STYLE.sub("", styled) == plain


def test_a_style_of_the_users_choice_is_taken(stopped: Terminal) -> None:
    stopped.say("set style function foreground magenta")
    stopped.say("set style function intensity bold")
    listing = stopped.say("ompd threads")
    # Newer debuggers say each property of a style, each time.
    codes = re.search(r"\x1b\[([0-9;]+)mtruth_stop\x1b\[m", listing)
    assert codes is not None and {"35", "1"} <= set(codes[1].split(";")), repr(listing)


def test_styles_do_not_shift_columns(stopped: Terminal) -> None:
    heading, *rows = stopped.text("ompd threads -all").splitlines()
    column = heading.index("Where")
    functions = [row[column:].split()[0] for row in rows]
    assert sorted(functions) == ["truth_hold"] * 63 + ["truth_stop"]


def test_a_document_has_no_styles(stopped: Terminal) -> None:
    document = stopped.say("ompd threads -json")
    assert "truth_stop" in document
    assert STYLE.search(document) is None


# TAB.


@pytest.mark.parametrize(
    "typed, completed",
    [
        ("ompd par", "ompd parallel "),
        ("ompd threads -no-l", "ompd threads -no-location "),
        ("ompd threads -all -j", "ompd threads -all -json "),
        ("ompd icvs thread-l", "ompd icvs thread-limit-var "),
        ("ompd icvs -all run-sched-v", "ompd icvs -all run-sched-var "),
        ("set ompd auto-e", "set ompd auto-enable "),
    ],
)
def test_tab_completes(fresh: Terminal, typed: str, completed: str) -> None:
    """Ctrl-A and Ctrl-E put "echo" around the completed line, so that gdb says it back."""
    fresh.child.send(f"{typed}\t\x01echo <\x05>\\n\r")
    assert STYLE.sub("", fresh.answer()) == f"<{completed}>\n"


def test_tab_lists_the_teams_numbers(stopped: Terminal) -> None:
    stopped.child.send("ompd thread 5\t\t")
    listed = stopped.answer().split()
    assert set(listed) == {"5", *(str(number) for number in range(50, 60))}


# The pager.


def test_pager_shows_everything_page_by_page(stopped: Terminal) -> None:
    whole = stopped.text("ompd threads -all")
    stopped.say("set pagination on")
    stopped.say("set height 6")
    stopped.child.sendline("ompd threads -all")
    pages = []
    while stopped.child.expect_exact([PAGER, PROMPT]) == 0:
        pages.append(str(stopped.child.before))
        stopped.child.sendline("")
    pages.append(str(stopped.child.before))
    assert len(pages) > 64 // 6
    text = STYLE.sub("", PASTE_MODE.sub("", "".join(pages)))
    shown = [line for line in text.replace("\r", "\n").split("\n") if line.strip()]
    assert shown[1:] == whole.splitlines()  # after the command's own line


def test_quitting_the_pager_leaves_no_traceback(stopped: Terminal) -> None:
    stopped.say("set pagination on")
    stopped.say("set height 6")
    stopped.child.sendline("ompd threads -all")
    page = stopped.until(PAGER)
    assert 1 < len(page.splitlines()) <= 6
    stopped.child.sendline("q")
    assert stopped.answer() == "Quit\n"
    stopped.say("set height 0")
    stopped.assert_usable()


def test_what_the_pager_has_shown_is_logged(stopped: Terminal, tmp_path: Path) -> None:
    log = tmp_path / "log"
    for command in ("pagination on", "height 6", f"logging file {log}", "logging enabled on"):
        stopped.say(f"set {command}")
    stopped.child.sendline("ompd threads -all")
    page = STYLE.sub("", stopped.until(PAGER)).splitlines()[1:]
    stopped.child.sendline("q")
    stopped.until(PROMPT)
    stopped.say("set logging enabled off")
    assert set(filter(None, page)) <= set(STYLE.sub("", log.read_text()).splitlines())


# Ctrl-C.


@pytest.mark.parametrize(
    "command", ["ompd threads -all", "ompd parallel -all", "ompd icvs -all", "ompd threads -json"]
)
def test_interrupt_stops_a_listing(stopped: Terminal, command: str) -> None:
    """The listing is repeated without end, so that Ctrl-C always comes in the middle."""
    for _ in range(3):
        stopped.child.sendline("while 1")
        stopped.until(">")
        stopped.child.sendline(command)
        stopped.until(">")
        stopped.child.sendline("end")
        stopped.until("64")
        stopped.child.sendcontrol("c")
        stopped.until("Quit\r\n")
        stopped.until(PROMPT)
        stopped.assert_usable()
        assert "truth_stop" in stopped.text("frame")


# Errors.


def test_no_process(fresh: Terminal) -> None:
    text = "no process: start one with 'run', attach, or load a core file\n"
    assert fresh.say("ompd threads") == text
    assert fresh.say("ompd tasks -json") == text


@pytest.mark.parametrize(
    "command, text",
    [
        ("ompd nonsense", 'Undefined ompd command: "nonsense".  Try "help ompd".'),
        ("ompd threads -x", 'Unrecognized option at: -x. Try "help ompd threads".'),
        ("ompd thread 64", "the current team has threads 0 to 63, not 64"),
        ("ompd icvs no-such-var", 'no ICV is called "no-such-var": "ompd icvs" lists them.'),
    ],
)
def test_a_mistake_is_one_line(stopped: Terminal, command: str, text: str) -> None:
    assert stopped.say(command) == f"{text}\n"
    stopped.assert_usable()
