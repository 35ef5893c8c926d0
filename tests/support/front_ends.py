# SPDX-License-Identifier: Apache-2.0
"""What front ends speak with GDB: results of its machine interface taken apart, and a client of
its debug adapter."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from support.gdb_session import START, clean_environment

TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([A-Za-z][\w-]*)=|([{}\[\],])')


def result(line: str) -> dict[str, Any]:
    """Return the values of ``^done,name=value,...`` by their names."""
    assert line.startswith("^done"), line
    left = list(TOKEN.finditer("{" + line[len("^done,") :] + "}"))
    left.reverse()
    made = _value(left)
    assert not left and isinstance(made, dict)
    return made


def _value(left: list[re.Match[str]]) -> Any:
    first = left.pop()
    if first[1] is not None:
        return re.sub(r"\\(.)", r"\1", first[1])
    made: Any = {} if first[3] == "{" else []
    while left[-1][3] not in ("}", "]"):
        if left[-1][3] == ",":
            left.pop()
        elif isinstance(made, dict):
            name = left.pop()[2]
            made[name] = _value(left)
        else:
            made.append(_value(left))
    left.pop()
    return made


class Adapter:
    """A client of a gdb that its ARGUMENTS make a debug adapter."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            ["gdb", *START, "-q", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=clean_environment(),
            start_new_session=True,
        )
        self._asked = 0
        self._told: list[dict[str, Any]] = []

    def __enter__(self) -> "Adapter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def send(self, command: str, **arguments: Any) -> int:
        """Send a request; return its number."""
        self._asked += 1
        message = {"seq": self._asked, "type": "request", "command": command}
        text = json.dumps({**message, "arguments": arguments}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self._process.stdin.flush()
        return self._asked

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """Return the response to a request."""
        number = self.send(command, **arguments)
        return self.told(request_seq=number)

    def told(self, **wanted: Any) -> dict[str, Any]:
        """Return the first message that has these values, which may have come already."""
        for message in self._told:
            if wanted.items() <= message.items():
                return message
        while True:
            self._told.append(self._read())
            if wanted.items() <= self._told[-1].items():
                return self._told[-1]

    def stopped_in(self, program: Path, function: str) -> None:
        """Run a program until it comes to a function."""
        self.ask("initialize", clientID="test", adapterID="gdb", linesStartAt1=True)
        self.told(event="initialized")
        launched = self.send("launch", program=str(program))
        self.ask("setFunctionBreakpoints", breakpoints=[{"name": function}])
        self.ask("configurationDone")
        assert self.told(request_seq=launched)["success"]
        self.told(event="stopped")

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        size = 0
        for line in iter(self._process.stdout.readline, b"\r\n"):
            assert line, "gdb has ended"
            name, _, value = line.partition(b":")
            size = int(value) if name.lower() == b"content-length" else size
        message: dict[str, Any] = json.loads(self._process.stdout.read(size))
        return message


def words(options: Sequence[str]) -> str:
    """Return options as a command line has them."""
    return "".join(f" {each}" for each in options)
