// SPDX-License-Identifier: Apache-2.0
import { strict as assert } from "node:assert";
import { test } from "node:test";
import { Message, Reader } from "../src/adapter";
import { gdbOf, readStop, selectThread } from "../src/asking";
import { Stop, Thread } from "../src/documents";
import { Node, ranges, treeOf, treeOfError } from "../src/tree";

const MAIN = { function: "main", file: "/src/heat.c", line: 7 };

function stopOf(size: number): Stop {
    const threads = Array.from({ length: size }, (_, at): Thread => ({
        inferior: 1, gdb_num: at + 1, thread_num: at, team_size: size,
        text: at === 3 ? "working" : "at barrier", location: MAIN, error: null,
    }));
    const numbers = threads.map((one) => one.gdb_num);
    const region = { id: 1, parent: null, level: 1, team_size: size, threads: numbers, ...MAIN };
    const group = (some: Thread[], arrived: boolean) => ({
        gdb_num: some.map((one) => one.gdb_num), thread_num: some.map((one) => one.thread_num), arrived, location: MAIN,
    });
    const groups = [group(threads.filter((_, at) => at !== 3), true), group([threads[3]], false)];
    return {
        why: {
            verdict: "waiting", text: "waiting for thread 3", notes: [], cycles: [],
            locks: [{ kind: "lock", address: 16, name: null, waiters: [{ gdb_num: 2 }], holders: [], source: null }],
            teams: [{ region, groups, barrier: MAIN }],
        },
        regions: [region], threads,
        trees: [{ region, nodes: [{ ...MAIN, parent: null, threads: numbers, thread_nums: numbers.map((n) => n - 1), region: null }] }],
    };
}

/** All labels with their descriptions. */
function written(nodes: Node[], margin = ""): string[] {
    return nodes.flatMap((node) => [`${margin}${node.label}| ${node.description}`, ...written(node.children, `${margin} `)]);
}

test("equal threads of a large team share a node", () => {
    const [verdict, regions] = treeOf(stopOf(1000));
    assert.equal(verdict.label, "Waiting");
    assert.deepEqual(regions.children[0].children.map((one) => `${one.label}| ${one.description}`), [
        "0-2,4-999| at barrier, main at heat.c:7",
        "3 (GDB 4)| working, main at heat.c:7",
    ]);
    assert.equal(regions.children[0].children[0].children.length, 999);
});

test("who waits for whom", () => {
    const [, , waits, stacks] = treeOf(stopOf(4));
    assert.deepEqual(written(waits.children), [
        "lock 0x10| GDB 2 waiting, holder not known",
        " GDB 2 waits| main at heat.c:7",
        "Barrier at main at heat.c:7| 3 of 4 have arrived",
        " GDB 4 has not arrived| main at heat.c:7",
    ]);
    assert.deepEqual(written(stacks.children), ["Region 1| main at heat.c:7", " main| heat.c:7, 0-3"]);
});

test("each node has a name of its own", () => {
    const names = (nodes: Node[]): string[] => nodes.flatMap((node) => [node.id, ...names(node.children)]);
    const all = names(treeOf(stopOf(20)));
    assert.equal(new Set(all).size, all.length);
});

test("numbers and errors in words", () => {
    assert.equal(ranges([5, 1, 2, 3]), "1-3,5");
    assert.equal(treeOfError("no process")[0].label, "No process");
});

test("messages are taken out of a stream, whatever its parts", () => {
    const found: Message[] = [];
    const reader = new Reader((message) => found.push(message));
    const text = ["ä", "b"].map((word) => {
        const body = JSON.stringify({ seq: 1, type: "event", word });
        return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    });
    for (const byte of Buffer.from(text.join(""))) {
        reader.take(Buffer.from([byte]));
    }
    assert.deepEqual(found.map((one) => one.word), ["ä", "b"]);
});

/** A GDB behind cpptools that does not know the commands until it has sourced the script. */
function cpptools(said: string[]) {
    let isLoaded = false;
    return gdbOf("cppdbg", async (_, args: any) => {
        said.push(args.expression);
        isLoaded ||= args.expression.includes("source ");
        if (!isLoaded) {
            throw new Error('Undefined command: "ompd".  Try "help".');
        }
        return { result: args.expression.includes("$_gthread") ? "7" : '{"regions": [], "threads": [], "trees": []}\n' };
    });
}

test("cpptools is asked by -exec, and has the script loaded once", async () => {
    const said: string[] = [];
    const gdb = cpptools(said);
    await readStop(gdb, "/there/ompd.py");
    assert.deepEqual(said.slice(0, 3), ["-exec ompd why -json", "-exec source /there/ompd.py", "-exec ompd why -json"]);
    await readStop(gdb, "/there/ompd.py");
    assert.equal(said.filter((one) => one.includes("source")).length, 1);
    assert.equal(await selectThread(gdb, 2, 1), 7);
    await assert.rejects(readStop(cpptools([]), undefined), /gdb-ompd is not loaded/);
});
