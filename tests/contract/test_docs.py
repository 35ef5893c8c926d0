# SPDX-License-Identifier: Apache-2.0
"""docs/commands.md and GDB's own help tell of the same commands, and both are true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documented import documented
from support.gdb_session import run_gdb

ROOT = Path(__file__).resolve().parents[2]
MARK = "@@ "
PREFIXES = ("ompd", "set ompd", "show ompd")
LISTED = "[OPTION]"  # in place of options that the help lists


@pytest.fixture(scope="module")
def commands() -> dict[str, set[str]]:
    return documented((ROOT / "docs" / "commands.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def answers(commands: dict[str, set[str]]) -> dict[str, str]:
    """What one gdb says to the questions about every command."""
    questions = [f"help {prefix}" for prefix in PREFIXES]
    for command, options in commands.items():
        questions += [f"help {command}", f"complete {command} -"]
        questions += [f"complete {command} {option[:-1]}" for option in options - {LISTED}]
    asked = []
    for question in questions:
        asked += [f"echo {MARK}{question}\\n", question]
    said = run_gdb(asked).stdout
    parts = said.split(MARK)[1:]
    return {part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in parts}


def test_the_table_is_read() -> None:
    table = (
        "| `ompd threads [-no-location] [-json]` | rows |\n"
        "| `ompd break EVENT [if COND]`, `ompd tbreak` | `ompd no` |\n"
        "| `ompd bt [on\\|off]`, `ompd bt -team` | x |\n"
    )
    assert documented(table) == {
        "ompd threads": {"-no-location", "-json"},
        "ompd break": set(),
        "ompd tbreak": set(),
        "ompd bt": {"-team"},
    }


def test_the_page_lists_the_commands_gdb_has(
    commands: dict[str, set[str]], answers: dict[str, str]
) -> None:
    listed = re.findall(r"^(ompd [a-z-]+)(?:,[^-]*)? -- ", answers["help ompd"], flags=re.MULTILINE)
    assert len(listed) > 5
    assert sorted(commands) == sorted(listed)


def test_the_help_lists_each_command_on_a_line(answers: dict[str, str]) -> None:
    help_of_all = "".join(answers[f"help {prefix}"] for prefix in PREFIXES)
    listed = re.findall(r"^(?:set |show )?ompd \S+ -- .*", help_of_all, flags=re.MULTILINE)
    assert len(listed) > 30
    assert [line for line in listed if len(line) > 80] == []


def test_no_help_is_wider_than_a_terminal(answers: dict[str, str]) -> None:
    lines = [
        line for asked, said in answers.items() if "help " in asked for line in said.split("\n")
    ]
    assert len(lines) > 500
    assert [line for line in lines if len(line) > 80 and not line.startswith("Type ")] == []


def test_each_command_says_how_it_is_used(
    commands: dict[str, set[str]], answers: dict[str, str]
) -> None:
    assert commands
    examples = [command for command in commands if command.startswith("ompd ")]
    assert examples
    assert [each for each in examples if f"Example: {each}" not in answers[f"help {each}"]] == []
    without = [
        command for command in commands if f"Usage: {command}" not in answers[f"help {command}"]
    ]
    assert without == []


def test_each_option_is_in_the_help_and_completes(
    commands: dict[str, set[str]], answers: dict[str, str]
) -> None:
    assert any(commands.values())
    missing = []
    for command, options in commands.items():
        for option in options - {LISTED}:
            # A dash ends a word for GDB, so the two are completed differently.
            for begun in ("-", option[:-1]):
                if f"{command} {option}" not in answers[f"complete {command} {begun}"].split("\n"):
                    missing.append(f"{command} {begun} does not complete to {option}")
            if option not in answers[f"help {command}"]:
                missing.append(f"{command} {option} is not in the help")
    assert missing == []


def test_each_completed_option_is_documented(
    commands: dict[str, set[str]], answers: dict[str, str]
) -> None:
    for command, options in commands.items():
        lines = answers[f"complete {command} -"].split("\n")
        completed = {line.rsplit(" ", 1)[1] for line in lines if line.startswith(f"{command} -")}
        if LISTED in options:
            unsaid = {each for each in completed if each not in answers[f"help {command}"]}
            assert completed and not unsaid, command
        else:
            assert completed == options, command


SHOWN = [
    "README.md",
    *(
        f"docs/{name}.md"
        for name in ("control", "hang", "stacks", "stepping", "team-size", "values")
    ),
]


def sessions(text: str) -> list[str]:
    """Return the sessions of TEXT in which GDB answers."""
    blocks = re.findall(r"```text\n(\(gdb\) ompd .*?)```", text, flags=re.DOTALL)
    return [block for block in blocks if re.search(r"^(?!\(gdb\))", block.strip(), re.MULTILINE)]


def comparable(text: str) -> str:
    """Return TEXT without what differs by run, and without the space between commands."""
    text = re.sub(r"^(GDB \d )?#\d\d ", r"\1#NN ", text, flags=re.MULTILINE)
    text = re.sub(r"/\S+/(lib\w+\.so)", r"LIB/\1", re.sub(r"0x[0-9a-f]+", "0xADDRESS", text))
    return re.sub(r"\n\n+", "\n", text)


@pytest.mark.parametrize("page", SHOWN)
def test_each_session_of_a_page_is_an_example_s(page: str) -> None:
    examples = sorted((ROOT / "examples").glob("*.txt"))
    transcripts = [comparable(path.read_text(encoding="utf-8")) for path in examples]
    shown = sessions((ROOT / page).read_text(encoding="utf-8"))
    assert shown
    assert [
        each for each in shown if not any(comparable(each) in all_ for all_ in transcripts)
    ] == []


@pytest.mark.parametrize("page", sorted(path.name for path in (ROOT / "docs").glob("*.md")))
def test_each_page_s_links_lead_somewhere(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []
