# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from gdb_ompd.model import TargetConstruct, TargetKind, Thread
from gdb_ompd.model.devices import Device, Devices, Mapped
from gdb_ompd.render.devices import document, lines

REGION = TargetConstruct(TargetKind.REGION, True, 1, file="/a/x.c", line=3)
EXECUTES = Thread(1, 7, 70, target=REGION)
WAITS = Thread(1, 8, 80, target=REGION._replace(kind=TargetKind.UPDATE, executes=False))
KNOWN = Devices(
    (
        Device(0, "/l/libt.so", "/l/libt.rtl.so"),
        Device(1, "/l/libt.so", "/l/libt.rtl.so", None, (EXECUTES, WAITS)),
        Device(2, "/l/libt.so", "/l/libt.rtl.so", mapped=(Mapped(None, 16, 32, 8, None),)),
        Device(3, "/l/libt.so", kind="gpu", mapped=None, why_unknown="it is being changed"),
        Device(4, "/l/libt.so", kind="gpu", mapped=None, why_unknown="it is being changed"),
    ),
    default=2,
    host=5,
)


def test_each_device_says_what_is_there() -> None:
    assert list(lines(KNOWN, prefix="1.")) == [
        "Device 0: libt.rtl.so; nothing is mapped",
        "Device 1: libt.rtl.so; nothing is mapped",
        "  GDB thread 1.7: in target at x.c:3",
        "  GDB thread 1.8: waiting for device 1 to update data at x.c:3",
        "Device 2 (default): libt.rtl.so",
        "  Name  Host  Device  Bytes  References",
        "  ?     0x10  0x20        8      always",
        "Devices 3-4: gpu, libt.so; what is mapped is not known: it is being changed",
        "The host (device 5): no target region is executed there",
    ]


def test_why_the_host_executes_all() -> None:
    on_host = EXECUTES._replace(target=REGION._replace(on_host=True))
    alone = Devices(on_host=(on_host,), why_host="nobody offloads", unknown=("Not known.",))
    assert list(lines(alone)) == [
        "The host executes every target region: nobody offloads.",
        "  GDB thread 7: in target at x.c:3",
        "Not known.",
    ]
    assert document(alone)["host"] == {"number": None, "threads": [7], "why": "nobody offloads"}


def test_the_document_has_numbers_of_threads() -> None:
    rows = document(KNOWN)["devices"]
    assert [row["threads"] for row in rows] == [[], [7, 8], [], [], []]
    assert [row["default"] for row in rows] == [False, False, True, False, False]
    assert rows[2]["mapped"] == [
        {"name": None, "host": 16, "device": 32, "bytes": 8, "references": None}
    ]
