// SPDX-License-Identifier: Apache-2.0
// One stop as a tree: what the view shows. Values to values.

import { Group, Lock, Place, Region, StackTree, Step, Stop, Team, Thread } from "./documents";

export interface Node {
    /** The same at the next stop, so that what is open stays open. */
    id: string;
    label: string;
    description: string;
    tooltip?: string;
    icon?: "error" | "warning" | "info" | "pass" | "lock" | "sync" | "group" | "thread" | "frame";
    place?: Place;
    /** GDB's number of the thread that a click selects. */
    thread?: Thread;
    isOpen?: boolean;
    children: Node[];
}

/** Equal threads of a team share a node where it has more than these. */
const MOST_SINGLE = 8;

const VERDICT_ICONS: Record<string, Node["icon"]> = {
    deadlock: "error", crashed: "error", waiting: "warning", unknown: "warning", idle: "info", running: "pass",
};

/** The tree of a stop. */
export function treeOf(stop: Stop): Node[] {
    const threads = new Map(stop.threads.map((one) => [one.gdb_num, one]));
    return [verdict(stop), regions(stop, threads), waits(stop, threads), stacks(stop.trees, threads)].filter(
        (node) => node.id === "verdict" || node.children.length > 0,
    );
}

/** A tree that says why there is none. */
export function treeOfError(why: string): Node[] {
    return [{ id: "error", label: sentence(why), description: "", tooltip: why, icon: "info", children: [] }];
}

function verdict(stop: Stop): Node {
    const { verdict: word, text, notes } = stop.why;
    const rest = text.toLowerCase().startsWith(`${word}: `) ? text.slice(word.length + 2) : text;
    const children = notes.map((note, at) => leaf(`verdict/${at}`, note, "", "info"));
    const icon = VERDICT_ICONS[word];
    return { id: "verdict", label: sentence(word), description: rest, tooltip: sentence(text), icon, children };
}

// Regions

type Threads = Map<number, Thread>;

function regions(stop: Stop, threads: Threads): Node {
    const listed = new Set(stop.regions.flatMap((region) => region.threads));
    const outside = stop.threads.filter((one) => !listed.has(one.gdb_num));
    const children = stop.regions
        .filter((region) => region.parent === null)
        .map((region) => regionNode(region, stop.regions, threads));
    if (outside.length > 0) {
        const own = members("regions/none", outside);
        children.push({ id: "regions/none", label: "In no region", description: threadCount(outside.length), children: own });
    }
    return { id: "regions", label: "Regions", description: "", isOpen: true, children };
}

function regionNode(region: Region, all: Region[], threads: Threads): Node {
    const id = `regions/${region.id}`;
    const known = region.threads.map((number) => (number === null ? undefined : threads.get(number)));
    const inner = all.filter((one) => one.parent === region.id).map((one) => regionNode(one, all, threads));
    const found = known.filter((one): one is Thread => one !== undefined);
    // A thread that has begun an inner region is shown there.
    const own = found.filter((one) => !inner.length || isIn(one, region));
    const size = region.team_size === null ? "? threads" : threadCount(region.team_size);
    return {
        id, label: `Region ${region.id}`, description: joined(size, placeText(region)), icon: "group",
        place: placed(region), isOpen: true, children: [...members(id, own), ...inner],
    };
}

function isIn(thread: Thread, region: Region): boolean {
    return thread.team_size === region.team_size && region.threads.indexOf(thread.gdb_num) === thread.thread_num;
}

function members(id: string, threads: Thread[]): Node[] {
    if (threads.length <= MOST_SINGLE) {
        return threads.map((one) => threadNode(id, one));
    }
    return foldedBy(threads, doing).map((same, at) => {
        if (same.length === 1) {
            return threadNode(id, same[0]);
        }
        const children = same.map((one) => threadNode(`${id}/${at}`, one));
        const numbers = same.map((one) => one.thread_num).filter((one): one is number => one !== null);
        const label = numbers.length === same.length ? ranges(numbers) : threadCount(same.length);
        return { ...children[0], id: `${id}/${at}`, label, description: doing(same[0]), icon: "group" as const, children };
    });
}

function threadNode(id: string, thread: Thread): Node {
    const number = thread.thread_num === null ? "" : `${thread.thread_num} `;
    return {
        id: `${id}/thread/${thread.inferior}.${thread.gdb_num}`, label: `${number}(GDB ${thread.gdb_num})`,
        description: doing(thread), tooltip: thread.error ?? undefined, icon: "thread",
        place: placed(thread.location), thread, children: [],
    };
}

function doing(thread: Thread): string {
    return joined(thread.text, placeText(thread.location));
}

// Who waits for whom

function waits(stop: Stop, threads: Threads): Node {
    const cycles = stop.why.cycles.map((steps, at) => cycle(steps, `waits/cycle/${at}`, threads));
    const locks = stop.why.locks.map((lock, at) => lockNode(lock, `waits/lock/${at}`, threads));
    const teams = stop.why.teams.flatMap((team, at) => barrier(team, `waits/barrier/${at}`, threads));
    const children = [...cycles, ...locks, ...teams];
    return { id: "waits", label: "Who waits for whom", description: "", isOpen: true, children };
}

function cycle(steps: Step[], id: string, threads: Threads): Node {
    const children = steps.map((step, at): Node => {
        const whom = `${step.any ? "any of " : ""}GDB ${ranges(step.waits_for)}`;
        return {
            id: `${id}/${at}`, label: `GDB ${step.gdb_num}: ${step.what}`,
            description: `→ ${joined(whom, placeText(step.location))}`, icon: "thread",
            place: placed(step.location), thread: threads.get(step.gdb_num), children: [],
        };
    });
    return { id, label: "Cycle", description: threadCount(steps.length), icon: "sync", isOpen: true, children };
}

function lockNode(lock: Lock, id: string, threads: Threads): Node {
    const numbers = (some: { gdb_num: number }[]) => some.map((one) => one.gdb_num);
    const name = lock.name ? ` "${lock.name}"` : lock.address ? ` 0x${lock.address.toString(16)}` : "";
    const holders = lock.holders.length > 0 ? `held by GDB ${ranges(numbers(lock.holders))}` : "holder not known";
    const how = lock.source === "inferred" ? " (inferred)" : "";
    const one = (number: number, what: string): Node => threadLeaf(`${id}/${what}/${number}`, number, what, threads);
    const children = [
        ...numbers(lock.holders).map((number) => one(number, `holds it${how}`)),
        ...numbers(lock.waiters).map((number) => one(number, "waits")),
    ];
    const waiting = lock.waiters.length > 0 ? `GDB ${ranges(numbers(lock.waiters))} waiting` : "";
    return { id, label: lock.kind + name, description: joined(waiting, holders + how), icon: "lock", children };
}

/** The barrier of a team that waits for some of its threads. */
function barrier(team: Team, id: string, threads: Threads): Node[] {
    const late = numbersOf(team.groups.filter((group) => group.arrived === false));
    if (team.barrier === null || late.length === 0) {
        return [];
    }
    const there = numbersOf(team.groups.filter((group) => group.arrived === true)).length;
    const said = `${there} of ${team.region?.team_size ?? "?"} have arrived`;
    const children = late.map((number) => threadLeaf(`${id}/${number}`, number, "has not arrived", threads));
    return [{
        id, label: `Barrier at ${placeText(team.barrier)}`, description: said, icon: "lock",
        place: placed(team.barrier), children,
    }];
}

function numbersOf(groups: Group[]): number[] {
    return groups.flatMap((group) => group.gdb_num).filter((one): one is number => one !== null);
}

function threadLeaf(id: string, number: number, what: string, threads: Threads): Node {
    const thread = threads.get(number);
    const where = thread ? placeText(thread.location) : "";
    return {
        id, label: `GDB ${number} ${what}`, description: where, icon: "thread",
        place: placed(thread?.location), thread, children: [],
    };
}

// Merged stacks

function stacks(trees: StackTree[], threads: Threads): Node {
    const children = trees.map((tree, at): Node => {
        const id = `stacks/${tree.region?.id ?? `none/${at}`}`;
        const label = tree.region ? `Region ${tree.region.id}` : "In no region";
        return { id, label, description: tree.region ? placeText(tree.region) : "", children: stackNodes(tree, id, threads) };
    });
    return { id: "stacks", label: "Stacks", description: "", children: children.filter((one) => one.children.length > 0) };
}

function stackNodes(tree: StackTree, id: string, threads: Threads): Node[] {
    const made = tree.nodes.map((node, at): Node => {
        const first = threads.get(node.threads[0]);
        const known = node.thread_nums.filter((one): one is number => one !== null);
        const who = known.length === node.threads.length && known.length > 0 ? ranges(known) : `GDB ${ranges(node.threads)}`;
        const isState = node.function === null && node.file === null;
        const label = !isState ? node.function ?? "??" : node.region !== null ? `in region ${node.region}` : first?.text ?? "";
        return {
            id: `${id}/${at}`, label, description: joined(lineText(node), who), icon: isState ? undefined : "frame",
            place: placed(node), thread: first, isOpen: true, children: [],
        };
    });
    tree.nodes.forEach((node, at) => node.parent !== null && made[node.parent].children.push(made[at]));
    return made.filter((_, at) => tree.nodes[at].parent === null);
}

// Words

function leaf(id: string, label: string, description: string, icon: Node["icon"]): Node {
    return { id, label, description, tooltip: label, icon, children: [] };
}

function threadCount(count: number): string {
    return count === 1 ? "1 thread" : `${count} threads`;
}

function placed(place: Place | null | undefined): Place | undefined {
    return place?.file && place.line ? place : undefined;
}

function lineText(place: Place): string {
    return place.file ? `${place.file.replace(/.*\//, "")}${place.line ? `:${place.line}` : ""}` : "";
}

function placeText(place: Place | null): string {
    return place === null ? "" : [place.function ?? "", lineText(place)].filter(Boolean).join(" at ");
}

function joined(...words: string[]): string {
    return words.filter(Boolean).join(", ");
}

function sentence(words: string): string {
    return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Numbers as "0-3,5". */
export function ranges(numbers: number[]): string {
    const found: [number, number][] = [];
    for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
        const last = found[found.length - 1];
        if (last && last[1] + 1 === number) {
            last[1] = number;
        } else {
            found.push([number, number]);
        }
    }
    return found.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

function foldedBy<T>(items: T[], key: (item: T) => string): T[][] {
    const found = new Map<string, T[]>();
    for (const item of items) {
        const same = found.get(key(item));
        same ? same.push(item) : found.set(key(item), [item]);
    }
    return [...found.values()];
}
