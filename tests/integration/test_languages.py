# SPDX-License-Identifier: Apache-2.0
"""Whatever language and settings the user has chosen, the answers are the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.build import build
from support.gdb_session import run_gdb
from support.runtimes import VERSIONS

SCRIPT = """
import json

import gdb
from gdb_ompd.host.sessions.registry import session_of

COMMANDS = (
    "ompd status", "ompd init", "ompd threads", "ompd threads -json", "ompd parallel",
    "ompd parallel -all", "ompd parallel -all -json", "ompd tasks", "ompd tasks -all -json",
    "ompd icvs", "ompd icvs -all -json", "ompd env", "ompd thread 999", "ompd icvs no-such-var",
)


def said(command):
    try:
        return gdb.execute(command, to_string=True)
    except gdb.error as error:
        return f"error: {error}"


def answers():
    # Nothing may be left over from the answers under other settings.
    session_of().forget_files()
    return {command: said(command) for command in COMMANDS}


def answers_with(change):
    name, _, value = change.rpartition(" ")
    with gdb.with_parameter(name, value):
        return answers()


def tell(changes):
    told = {"": answers()}
    told.update({change: answers_with(change) for change in changes})
    # The last one: putting it back would read the old value by the new radix.
    gdb.execute("set input-radix 16", to_string=True)
    told["input-radix 16"] = answers()
    print("\\nTOLD " + json.dumps(told))
"""
LANGUAGES = (
    "ada",
    "asm",
    "c",
    "c++",
    "d",
    "fortran",
    "go",
    "local",
    "minimal",
    "modula-2",
    "objective-c",
    "opencl",
    "pascal",
    "rust",
    "unknown",
)
# What changes how GDB reads expressions, prints values and walks stacks.
SETTINGS = (
    "output-radix 16",
    "case-sensitive off",
    "check type off",
    "multiple-symbols cancel",
    "max-value-size 16",
    "target-charset EBCDIC-US",
    "host-charset ASCII",
    "print address off",
    "print symbol off",
    "print elements 1",
    "print max-depth 0",
    "print union off",
    "print frame-arguments none",
    "print frame-info short-location",
    "print pretty on",
    "backtrace past-main on",
    "backtrace past-entry on",
    "scheduler-locking on",
    "stack-cache off",
    "code-cache off",
    "width 20",
    "height 3",
    "python print-stack full",
)


def told(program: Path, language: str, folder: Path) -> dict[str, dict[str, str]]:
    """Return the answers by change of a setting, those without any by "".

    They are asked for with a frame selected in which GDB itself finds LANGUAGE.
    """
    script = folder / "answers.py"
    script.write_text(SCRIPT, encoding="ascii")
    changes = [*SETTINGS, *(f"language {other}" for other in LANGUAGES)]
    at_stop = ["break truth_stop", "run", "up 2", "show language"]
    done = run_gdb([*at_stop, f"source {script}", f"python tell({changes})"], program)
    assert f'"auto; currently {language}"' in done.stdout
    lines = [line for line in done.stdout.splitlines() if line.startswith("TOLD ")]
    assert lines, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    found: dict[str, dict[str, str]] = json.loads(lines[0].removeprefix("TOLD "))
    return found


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "program, compiler, language",
    [
        ("nested.c", "clang", "c"),
        ("classes.cpp", "clang", "c++"),
        ("fortran.f90", "gcc", "fortran"),
    ],
)
def test_answers_do_not_depend_on_them(
    program: str, compiler: str, language: str, version: str, tmp_path: Path
) -> None:
    answers = told(build(program, compiler, runtime=version), language, tmp_path)
    usual = answers.pop("")
    failed = {command for command, text in usual.items() if text.startswith("error: ")}
    assert failed == {"ompd thread 999", "ompd icvs no-such-var"}
    assert len(answers) == len(SETTINGS) + len(LANGUAGES) + 1
    for change, others in answers.items():
        for command, text in usual.items():
            assert (change, command, others[command]) == (change, command, text)
