# SPDX-License-Identifier: Apache-2.0
"""Each command's help, completion, options and documents, as a user and a script meet them."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from support.build import build
from support.gdb_session import EXTENSION, run_gdb
from support.runtimes import ROOT, VERSIONS, runtime_folder

MARK = "=" * 20
AT_STOP = ("break truth_stop", "run")
NO_SOURCE = "set print frame-info short-location"  # glibc's is not installed
NEED_WORDS = {
    *("ompd break", "ompd tbreak", "ompd export-symbols"),
    *("ompd print", "ompd diff", "ompd whatis", "ompd apply", "ompd watch"),
    *("ompd save", "ompd compare", "ompd report"),
}
RESUME = {"ompd step", "ompd next", "ompd finish", "ompd sample"}
Document = dict[str, Any]


def said(
    commands: Sequence[str],
    program: str | None = None,
    version: str = "19",
    setup: Sequence[str] = AT_STOP,
    env: dict[str, str] | None = None,
) -> list[str]:
    """Return what each of COMMANDS prints in PROGRAM after SETUP; none may complain."""
    script = [*setup] if program else []
    for command in commands:
        script.append(f'python gdb.write("{MARK}\\n"); gdb.write("{MARK}\\n", gdb.STDERR)')
        script.append(command)
    done = run_gdb(script, build(program, runtime=version) if program else None, env=env)
    printed = done.stdout.split(f"{MARK}\n")[1:]
    complaints = done.stderr.split(f"{MARK}\n")[1:]
    assert complaints == [""] * len(commands)
    assert len(printed) == len(commands), done.stdout
    assert done.returncode == 0
    return printed


@functools.lru_cache(maxsize=None)
def helps() -> dict[str, str]:
    """Return the help of each command that "help ompd" lists, by the command."""
    (listed,) = said(["help ompd"])
    names = re.findall(r"^(ompd [a-z-]+) -- ", listed, re.MULTILINE)
    return dict(zip(names, said([f"help {name}" for name in names])))


def options_of(command: str) -> set[str]:
    """Return the options in the command's line of usage, or, where that has [OPTION], those
    that the help lists."""
    text = helps()[command]
    usage = re.search(rf"^ *Usage: {command}\b(.*(?:\n {{5,}}.*)*)$", text, re.MULTILINE)
    assert usage is not None, text
    if "[OPTION]" in usage.group(1):
        listed = text.partition("Options:")[2]
        own = re.findall(r"^ +(-[a-z-]+)(?: [A-Z]+)?$", listed, re.MULTILINE)
        return {*own, *gdbs_options_of(command)}
    return set(re.findall(r"\[(-[a-z-]+)[] ]", usage.group(1)))


def gdbs_options_of(command: str) -> set[str]:
    """Return the options that are explained as those of a command of GDB's."""
    return set(re.findall(r" (-[a-z-]+)", helps()[command].partition("These are options of")[2]))


# Help and completion.


def test_the_page_and_the_help_list_the_same_commands() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`ompd .*?) \|", page, re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`(ompd [a-z-]+)", row)}
    assert listed == set(helps())


def test_each_help_says_how_to_use_the_command_and_each_option() -> None:
    for command, text in helps().items():
        for option in options_of(command) - gdbs_options_of(command):
            assert re.search(rf"^ +{option}( [A-Z]+)?\n +\w", text, re.MULTILINE), (command, option)


def test_prefix_alone_lists_its_commands() -> None:
    alone, listed = said(["ompd", "help ompd"])
    assert alone == listed
    assert "Usage: ompd COMMAND" in alone


def test_commands_complete() -> None:
    everything, some = said(["complete ompd ", "complete ompd t"])
    assert set(everything.splitlines()) == set(helps())
    assert some.splitlines() == ["ompd tasks", "ompd tbreak", "ompd thread", "ompd threads"]


def test_settings_complete() -> None:
    to_set, to_show = said(["complete set ompd ", "complete show ompd "])
    settings = ("auto-enable", "cache", "corrections", "library", "thread-names", "timeout")
    assert to_set.splitlines() == [f"set ompd {setting}" for setting in settings]
    assert to_show.splitlines() == [f"show ompd {setting}" for setting in settings]


def test_the_options_of_the_usage_complete() -> None:
    commands = list(helps())
    for command, found in zip(commands, said([f"complete {each} -" for each in commands])):
        assert set(found.splitlines()) == {f"{command} {each}" for each in options_of(command)}


@pytest.mark.parametrize("program", [None, "nested.c"], ids=["no process", "process"])
@pytest.mark.parametrize(
    "typed, completed",
    [
        ("ompd threads -no-l", ["ompd threads -no-location"]),
        ("ompd threads -all -j", ["ompd threads -all -json"]),
        (
            "ompd threads -json -",
            [
                f"ompd threads -json {each}"
                for each in ("-all", "-from", "-no-location", "-state", "-team")
            ],
        ),
        ("ompd threads -state wo", ["ompd threads -state working"]),
        ("ompd bt o", ["ompd bt off", "ompd bt on"]),
        ("ompd bt on ", ["ompd bt on continued"]),
        ("ompd icvs thread-l", ["ompd icvs thread-limit-var"]),
        ("ompd icvs -all run-sched-v", ["ompd icvs -all run-sched-var"]),
        ("ompd icvs dyn-var active-levels-", ["ompd icvs dyn-var active-levels-var"]),
        ("ompd icvs max-", ["ompd icvs max-active-levels-var", "ompd icvs max-task-priority-var"]),
    ],
)
def test_words_complete(program: str | None, typed: str, completed: list[str]) -> None:
    (found,) = said([f"complete {typed}"], program)
    assert found.splitlines() == completed


def test_every_icv_that_is_listed_completes() -> None:
    listed, found = said(["ompd icvs -all -json", "complete ompd icvs "], "nested.c")
    names = {f"ompd icvs {icv['name']}" for icv in json.loads(listed)["icvs"]}
    assert names
    assert names <= set(found.splitlines())


def test_thread_numbers_complete() -> None:
    every, some = said(["complete ompd thread ", "complete ompd thread 6"], "oversubscribed.c")
    assert set(every.splitlines()) == {f"ompd thread {number}" for number in range(64)}
    assert set(some.splitlines()) == {f"ompd thread {n}" for n in (6, 60, 61, 62, 63)}


# Documents.


@dataclass(frozen=True)
class Described:
    """What docs/json.md says of one command's document."""

    rows: str  # the key of its list
    keys: frozenset[str]
    beside: frozenset[str]  # the other keys of the document
    nested: dict[str, list[frozenset[str]]]  # by key: the keys of the object it may hold


# Their documents are compared by tests of their own.
WHY = "ompd why"
OF_THEIR_OWN = {
    WHY,
    "ompd devices",
    "ompd print",
    "ompd locals",
    "ompd loop",
    "ompd version",
    "ompd diff",
    "ompd whatis",
    "ompd compare",
    "ompd sample",
    "ompd version",
}


def described() -> dict[str, Described]:
    """Read docs/json.md: by command, what its document is made of."""
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    introduction, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    sentence = re.search(r"documents of ([^.]*) also have `notes`", introduction)
    assert sentence is not None
    with_notes = re.findall(r"`(\w+)`", sentence.group(1))
    sentence = re.search(r"^Each row of ([^.]*) also has these:", introduction, re.MULTILINE)
    assert sentence is not None
    of_facts, (from_where, _) = re.findall(r"`(\w+)`", sentence.group(1)), _keys(introduction)
    found = {}
    for section in sections:
        heading = re.match(r"`(ompd (\w+)) -json`(?: and [^:]*)?(?:: `(\w+)`)?\n", section)
        assert heading is not None, section
        command, topic, rows = heading.groups()
        if command in OF_THEIR_OWN:
            continue
        body, _, rest = section[heading.end() :].partition("Beside it ")
        beside = {"schema", *re.findall(r"^`(\w+)`", rest, re.MULTILINE)}
        beside |= {"notes"} if topic in with_notes else set()
        keys, nested = _keys(body)
        keys |= from_where if rows in of_facts else set()
        found[command] = Described(rows, frozenset(keys), frozenset(beside), nested)
    return found


def _keys(body: str) -> tuple[set[str], dict[str, list[frozenset[str]]]]:
    """Return the keys in a section's table, or in its sentence where it has none."""
    table = re.findall(r"^\| (`.*?) \| (.*) \|$", body, re.MULTILINE)
    if not table:
        return set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", body))), {}
    keys = set()
    nested = {}
    for first, second in table:
        names = re.findall(r"`(\w+)`", first)
        keys.update(names)
        objects = re.findall(r"\{([\w, ]+)\}", second)
        nested.update({name: [frozenset(o.split(", ")) for o in objects] for name in names})
    return keys, nested


DESCRIBED = described()
BY_FACT = ("sources", "unknown")  # their keys are facts' names
# With -all where the command has it: more rows, of more kinds.
ASKED = {
    "ompd threads": "ompd threads -json",
    "ompd parallel": "ompd parallel -all -json",
    "ompd places": "ompd places -all -json",
    "ompd tasks": "ompd tasks -all -json",
    "ompd icvs": "ompd icvs -all -json",
    "ompd bt": "ompd bt -json",
    "ompd env": "ompd env -json",
    "ompd status": "ompd status -json",
}


def assert_as_described(command: str, document: Document) -> None:
    """DOCUMENT has the keys that the page lists: none less, none more."""
    what = DESCRIBED[command]
    assert document["schema"] == 1
    assert set(document) == {what.rows} | what.beside
    assert document[what.rows]
    for row in document[what.rows]:
        assert set(row) == what.keys
        for key, value in row.items():
            if isinstance(value, dict) and key not in BY_FACT:
                assert frozenset(value) in what.nested[key], (key, value)


def test_each_command_with_json_is_described() -> None:
    assert set(DESCRIBED) == set(ASKED)
    with_json = {name for name in helps() if "-json" in options_of(name)}
    assert {*DESCRIBED, *OF_THEIR_OWN} == with_json


def test_the_lists_of_why_are_described() -> None:
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    section = text.partition(f"## `{WHY} -json`")[2].partition("\n## ")[0]
    lists = set(re.findall(r"^- `(\w+)`", section, re.MULTILINE))
    document = json.loads(said([f"{WHY} -json"], "nested.c")[0])
    assert set(document) == lists | {"schema", "verdict", "text", "notes"}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("program", ["waiting.c", "nested.c", "tasks.c", "roots.c"])
def test_documents_have_the_described_keys(program: str, version: str) -> None:
    printed = said(list(ASKED.values()), program, version)
    for command, text in zip(ASKED, printed):
        assert_as_described(command, json.loads(text))


def test_every_kind_of_nested_object_is_met() -> None:
    """Else the test above would compare nothing where a value is null."""
    met = set()
    suspended = said([ASKED["ompd tasks"]], "tasks.c")  # the other has no task that waits
    for text in [*said(list(ASKED.values()), "waiting.c"), *suspended]:
        document = json.loads(text)
        for row in next(value for value in document.values() if isinstance(value, list)):
            met |= {
                (k, frozenset(v))
                for k, v in row.items()
                if isinstance(v, dict) and k not in BY_FACT
            }
    expected = {
        (key, keys)
        for what in DESCRIBED.values()
        for key, choices in what.nested.items()
        for keys in choices
    }
    assert met == expected


def test_status_document_without_a_process() -> None:
    (text,) = said(["ompd status -json"])
    document = json.loads(text)
    assert document["runtimes"] == []
    assert set(document) == {"runtimes"} | DESCRIBED["ompd status"].beside


# Options.


@pytest.mark.parametrize(
    "same",
    [
        ("ompd threads -json -no-location", "ompd threads -no-location -json"),
        ("ompd threads -json -no-location", "ompd threads -j -no-l"),
        ("ompd threads -all", "ompd threads -a -all"),
        ("ompd icvs -all -json levels-var", "ompd icvs levels-var -all -json"),
        ("ompd icvs -all -json levels-var dyn-var", "ompd icvs levels-var -json dyn-var -all"),
        ("ompd icvs levels-var", "ompd icvs -- levels-var"),
        ("ompd tasks -all -json", "ompd tasks -json -all"),
    ],
    ids=" = ".join,
)
def test_options_go_anywhere(same: tuple[str, str]) -> None:
    one, other = said(same, "nested.c")
    assert one
    assert one == other


def test_chosen_icvs_are_those_and_no_others() -> None:
    (text,) = said(["ompd icvs -all -json levels-var dyn-var"], "nested.c")
    assert {icv["name"] for icv in json.loads(text)["icvs"]} == {"levels-var", "dyn-var"}


def test_the_stack_size_that_holds_is_shown() -> None:
    """Its default depends on the process's limits; of OMP_NESTED libompd has a remark alone."""
    variables, icvs = said(["ompd env -json", "ompd icvs -json stacksize-var"], "nested.c")
    values = {each["name"]: each["value"] for each in json.loads(variables)["control_variables"]}
    (icv,) = json.loads(icvs)["icvs"]
    units = {"k": 10, "M": 20, "G": 30}
    size = re.fullmatch(r"(\d+)([kMG]?)", values["OMP_STACKSIZE"])
    assert size and int(size[1]) << units.get(size[2], 0) == icv["value"]
    assert values["KMP_STACKSIZE"] == values["OMP_STACKSIZE"] and "OMP_NESTED" not in values


def test_no_location_leaves_locations_out() -> None:
    full, short = said(["ompd threads -json", "ompd threads -no-location -json"], "nested.c")
    assert any(thread["location"] for thread in json.loads(full)["threads"])
    assert not any(thread["location"] for thread in json.loads(short)["threads"])


# Single commands.


@pytest.mark.parametrize("version", VERSIONS)
def test_thread_selects_by_the_number_that_the_program_answers(version: str) -> None:
    numbers = (0, 63, 17, 40, 1)
    commands = []
    for number in numbers:
        commands += [f"ompd thread {number}", "output (int)omp_get_thread_num()"]
    setup = [*AT_STOP, "set scheduler-locking on", NO_SOURCE]
    printed = said(commands, "oversubscribed.c", version, setup)
    assert [int(text) for text in printed[1::2]] == list(numbers)
    for text in printed[::2]:
        assert text.startswith("[Switching to thread ")


def test_thread_takes_a_convenience_variable() -> None:
    setup = [*AT_STOP, "set $chosen = 5", "set scheduler-locking on", NO_SOURCE]
    commands = ["ompd thread $chosen", "output (int)omp_get_thread_num()"]
    assert said(commands, "oversubscribed.c", setup=setup)[1] == "5"


@pytest.mark.parametrize("version", VERSIONS)
def test_init_says_who_answers(version: str) -> None:
    (text,) = said(["ompd init"], "nested.c", version)
    folder = runtime_folder(version)
    served = rf"OMPD library /\S+ serves {folder}/libomp\.so\.\n"
    assert re.fullmatch(f"Loaded OMPD lib successfully!\n{served}", text)


def test_loading_prints_nothing() -> None:
    done = run_gdb([])
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_loading_again_changes_nothing() -> None:
    again = f"source {EXTENSION}"
    commands = ["ompd threads", again, "ompd threads", "help ompd", again, "help ompd"]
    before, first, after, helped, second, helped_after = said(commands, "nested.c")
    assert (first, second) == ("", "")
    assert before
    assert (before, helped) == (after, helped_after)


def test_no_escape_sequences_in_a_pipe() -> None:
    shown = [name for name in helps() if name not in NEED_WORDS | RESUME]
    commands = ["set style enabled on", *shown, *ASKED.values(), "ompd threads -all"]
    printed = said(commands, "nested.c", env={"TERM": "xterm-256color"})
    assert all(printed[1:])
    assert "\x1b" not in "".join(printed)


# Long listings.


def rows_of(listing: str) -> list[str]:
    """Return the lines that begin with a thread's GDB number and LWP."""
    return [line for line in listing.splitlines() if re.match(r"[* ] +\d+ +\d+ ", line)]


@pytest.mark.parametrize("version", VERSIONS)
def test_many_equal_threads_are_folded(version: str) -> None:
    folded, full, document = said(
        ["ompd threads", "ompd threads -all", "ompd threads -json"], "oversubscribed.c", version
    )
    assert len(folded.splitlines()) < 24
    assert len(rows_of(full)) == 64
    assert [int(row[1:].split()[0]) for row in rows_of(full)] == list(range(1, 65))
    assert sum(row.startswith("*") for row in rows_of(full)) == 1
    assert len(json.loads(document)["threads"]) == 64


def test_folding_counts_every_thread() -> None:
    (folded,) = said(["ompd threads"], "oversubscribed.c")
    counts = re.findall(r"^[* ] +(\d+) +\d[\d,-]* ", folded, re.MULTILINE)
    assert sum(int(count) for count in counts) == 64
