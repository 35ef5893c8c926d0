// SPDX-License-Identifier: Apache-2.0
// What is used here of the extension's JSON documents: docs/json.md has all of them.

export interface Place {
    function: string | null;
    file: string | null;
    line: number | null;
}

export interface Thread {
    inferior: number;
    gdb_num: number;
    thread_num: number | null;
    team_size: number | null;
    text: string;
    location: Place | null;
    error: string | null;
}

export interface Region extends Place {
    id: number;
    parent: number | null;
    level: number | null;
    team_size: number | null;
    threads: (number | null)[];
}

export interface Lock {
    kind: string;
    address: number | null;
    name: string | null;
    waiters: { gdb_num: number }[];
    holders: { gdb_num: number }[];
    source: string | null;
}

export interface Step {
    gdb_num: number;
    what: string;
    location: Place | null;
    waits_for: number[];
    any: boolean;
}

export interface Group {
    gdb_num: (number | null)[];
    thread_num: (number | null)[];
    arrived: boolean | null;
    location: Place | null;
}

export interface Team {
    region: Region | null;
    groups: Group[];
    barrier: Place | null;
}

export interface Why {
    verdict: string;
    text: string;
    teams: Team[];
    locks: Lock[];
    cycles: Step[][];
    notes: string[];
}

export interface StackNode extends Place {
    parent: number | null;
    threads: number[];
    thread_nums: (number | null)[];
    region: number | null;
}

export interface StackTree {
    region: Region | null;
    nodes: StackNode[];
}

/** All of one stop. */
export interface Stop {
    why: Why;
    regions: Region[];
    threads: Thread[];
    trees: StackTree[];
}
