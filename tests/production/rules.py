# SPDX-License-Identifier: Apache-2.0
"""What has to be true of what is shown, by plain gdb's stacks and the kernel's facts.

Rows are those of production.plain: a thread's numbers, system call and frames.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Optional

from generator import agree
from generator.findings import Findings

Document = dict[str, Any]
Row = dict[str, Any]

FUTEX = 202
_RUNTIME = re.compile(r"/lib(gomp|omp|iomp5)[.-][^/]*so")
# Libraries in which no user has code: of the C library and of what compilers add.
_SYSTEM = re.compile(
    r"/(ld-linux[^/]*|lib(c|m|pthread|dl|rt|resolv|gcc_s|stdc\+\+|gfortran|quadmath|[at]san))[.-]"
)
WORKING = ("work_parallel", "work_serial", "work_reduction")


def is_runtime(module: Optional[str]) -> bool:
    """Tell whether a mapped file is an OpenMP runtime."""
    return bool(module and _RUNTIME.search(module))


def is_users(module: Optional[str]) -> bool:
    """Tell whether a mapped file can have code of the user's."""
    return bool(module) and not is_runtime(module) and not _SYSTEM.search(str(module))


def check(
    said: dict[str, Document],
    rows: list[Row],
    lwps: list[int],
    found: Findings,
    is_same: Callable[[str, str], bool] = str.__eq__,
) -> None:
    """Hold the documents of one stop, by command, against plain gdb's ROWS and the kernel's
    LWPS, and against each other. IS_SAME tells whether two names are of one function."""
    threads = said["threads"]
    found.true("threads", "numbers", [row["lwp"] for row in _by_lwp(threads["threads"])], lwps)
    plain = {each["gdb_num"]: each for each in rows}
    for row in threads["threads"]:
        if row["gdb_num"] in plain:
            thread(row, plain[row["gdb_num"]], found)
    _verdict(said["why"], threads, plain, found)
    if "stack" in said["bt"]:
        _stack(said["bt"], plain, found, is_same)
    agree.threads_and_regions(threads, said["parallel -all"], found)
    agree.threads_and_tasks(threads, said["tasks -all"], found)
    agree.threads_and_why(threads, said["why"], found)


def _by_lwp(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: int(row["lwp"]))


def thread(row: Row, plain: Row, found: Findings) -> None:
    """Hold the ROW of one thread against what gdb and the kernel say of it."""
    frames, subject = plain["frames"], f"thread {row['gdb_num']}"
    found.true(subject, "LWP", row["lwp"], plain["lwp"])
    found.true(subject, "can be read", row["error"], None)
    innermost = frames[0]["module"]
    waits = row["waits_for"] and row["waits_for"]["kind"]
    if is_users(innermost) and plain["call"] is None:
        found.true(subject, f"waits in {frames[0]['function']}", waits, None)
        if row["level"]:
            found.among(subject, "state in the user's code", row["state"], WORKING)
    outer = next((each["module"] for each in frames if not _is_of_system(each["module"])), None)
    if is_runtime(outer) and plain["call"] == FUTEX:
        working = row["state"] in WORKING and not waits
        found.true(subject, "working in a futex of the runtime's", working, False)
    _place(row, frames, subject, found)


def _is_of_system(module: Optional[str]) -> bool:
    return module is None or not (is_users(module) or is_runtime(module))


def _place(row: Row, frames: list[Row], subject: str, found: Findings) -> None:
    """Where a thread is, is the innermost of its frames that are the user's; of one that waits in a
    library, the frame that called the library's function. A body that has jumped to the runtime has
    no frame, but nothing of the user's is inside of what called it."""
    location = row["location"]
    if location is None:
        return
    users = next((each for each in frames if _is_users_frame(each)), None)
    at = next((n for n, each in enumerate(frames) if each["pc"] == location["pc"]), None)
    if at is None:
        outer = next((each["module"] for each in frames if not _is_of_system(each["module"])), None)
        is_busy = not (row["waits_for"] or row["outside"]) and row["state"] in WORKING
        has_jumped = is_runtime(outer) and not is_busy
        found.true(subject, "place is on the stack", has_jumped, True)
        return
    said = frames[at]
    if users is None or not is_users(said["module"]) or _has_called(frames, at, row["outside"]):
        return
    expected = (users["pc"], users["function"], users["module"])
    found.true(subject, "place", (said["pc"], said["function"], said["module"]), expected)
    if users["function"] is not None:
        found.true(
            subject,
            "place's function",
            _bare(location["function"]),
            _without_type(_bare(users["function"])),
        )


def _is_users_frame(frame: Row) -> bool:
    is_stub = str(frame["function"]).endswith("@plt")
    return is_users(frame["module"]) and not is_stub


def _has_called(frames: list[Row], at: int, function: Optional[str]) -> bool:
    """Tell whether a frame has called into another library, in a FUNCTION of which the thread is:
    the name on the stack is another one where that function has jumped on."""
    inner = frames[at - 1]["module"] if at > 0 else None
    return function is not None and is_users(inner) and inner != frames[at]["module"]


def _without_type(function: Optional[str]) -> Optional[str]:
    """Return the name of an instance of a template without the type before it, which is in its
    symbol."""
    return re.sub(r"^[\w:*& ]+ (?=[^ ].*>$)", "", function) if function else function


def _bare(function: Optional[str]) -> Optional[str]:
    """Return a function's name without parameters, or a compiler's suffix."""
    return function and re.sub(
        r"(\(.*|\.(isra|part|constprop|cold|lto_priv|_omp_fn).*)$", "", function
    )


def _verdict(why: Document, threads: Document, plain: dict[int, Row], found: Findings) -> None:
    """A program that ends well never hangs, and goes on where one runs in the user's code."""
    found.among("why", "verdict", why["verdict"], ("running", "waiting", "idle"))
    runs = [
        thread["gdb_num"]
        for thread in threads["threads"]
        if thread["level"]
        and (row := plain.get(thread["gdb_num"]))
        and row["call"] is None
        and is_users(row["frames"][0]["module"])
    ]
    if runs:
        found.among(f"why, {runs} run", "verdict", why["verdict"], ("running", "waiting"))


def _stack(
    stack: Document,
    plain: dict[int, Row],
    found: Findings,
    is_same: Callable[[str, str], bool],
) -> None:
    """The frames of a thread that "ompd bt" shows are gdb's, in their order."""
    frames = plain[stack["gdb_num"]]["frames"]
    at = 0
    for entry in stack["stack"]:
        frame = entry["frame"]
        if entry["entry"] != "frame" or entry["gdb_num"] != stack["gdb_num"] or frame is None:
            continue
        number = frame["number"]
        if number is None or number >= len(frames):
            continue
        subject = f"bt, frame {number}"
        found.true(subject, "order", number >= at, True)
        found.true(subject, "pc", frame["pc"], frames[number]["pc"])
        if frames[number]["function"] is not None and not frame["outlined"]:
            said, truth = _bare(entry["function"]), _bare(frames[number]["function"])
            if said is None or truth is None or not is_same(said, truth):
                found.true(subject, "function", said, _without_type(truth))
        at = number


def unnamed(text: str, module: Callable[[int], Optional[str]]) -> list[str]:
    """Return the lines of a TEXT that have `??` for code of a file, and do not name it."""
    found = []
    for line in text.splitlines():
        if "??" not in line or " from " in line:
            continue
        address = re.search(r"0x[0-9a-f]+", line)
        if address is None or module(int(address.group(), 16)):
            found.append(line.strip())
    return found


def same_again(before: dict[str, Document], after: dict[str, Document], found: Findings) -> None:
    """What a core says is what the process said, but for the numbers that gdb gives."""
    old, new = ({row["lwp"]: row for row in said["threads"]["threads"]} for said in (before, after))
    found.same("core", "threads", sorted(new), sorted(old))
    for lwp in set(old) & set(new):
        for name in ("thread_num", "team_size", "level", "memberships", "state", "task", "kind"):
            found.same(f"core, LWP {lwp}", name, new[lwp][name], old[lwp][name])
        waits = [each[lwp]["waits_for"] and each[lwp]["waits_for"]["kind"] for each in (new, old)]
        found.same(f"core, LWP {lwp}", "waits for", *waits)
        places = [each[lwp]["location"] and each[lwp]["location"]["pc"] for each in (new, old)]
        found.same(f"core, LWP {lwp}", "place", *places)
    for name, rows in (
        ("parallel -all", "regions"),
        ("tasks -all", "tasks"),
        ("icvs -all", "icvs"),
    ):
        found.same("core", f"count of {rows}", len(after[name][rows]), len(before[name][rows]))
    found.same("core", "verdict", after["why"]["verdict"], before["why"]["verdict"])
