// SPDX-License-Identifier: Apache-2.0
// The adapter and the view's logic against a real GDB 14 or later: GDB and HANG name it, and
// examples/hang.c as it was built; OMPD_SCRIPT is gdb-scripts/ompd.py.
import { strict as assert } from "node:assert";
import { test } from "node:test";
import { FOCUS, GdbAdapter, Message } from "../src/adapter";
import { gdbOf, readStop, selectThread } from "../src/asking";
import { Node, treeOf } from "../src/tree";

class Editor {
    private readonly told: Message[] = [];
    private readonly waiting: (() => void)[] = [];
    private asked = 0;

    constructor(readonly adapter: GdbAdapter) {
        adapter.onDidSendMessage((message) => {
            this.told.push(message);
            this.waiting.splice(0).forEach((wake) => wake());
        });
    }

    send(command: string, args: object = {}): number {
        this.adapter.handleMessage({ seq: ++this.asked, type: "request", command, arguments: args });
        return this.asked;
    }

    async request(command: string, args: object = {}): Promise<any> {
        return this.response(this.send(command, args));
    }

    async response(number: number): Promise<any> {
        const response = await this.take((one) => one.request_seq === number);
        if (!response.success) {
            throw new Error(response.message);
        }
        return response.body;
    }

    event(name: string): Promise<Message> {
        return this.take((one) => one.event === name);
    }

    private async take(isWanted: (message: Message) => boolean): Promise<Message> {
        for (;;) {
            const at = this.told.findIndex(isWanted);
            if (at >= 0) {
                return this.told.splice(at, 1)[0];
            }
            await new Promise<void>((wake) => this.waiting.push(wake));
        }
    }
}

async function stoppedIn(program: string, name: string, script: string[]): Promise<Editor> {
    const editor = new Editor(new GdbAdapter(process.env.GDB ?? "gdb", ["-nx", ...script]));
    await editor.request("initialize", { adapterID: "gdb-openmp", linesStartAt1: true, columnsStartAt1: true });
    await editor.event("initialized");
    const launched = editor.send("launch", { program });
    await editor.request("setFunctionBreakpoints", { breakpoints: [{ name }] });
    await editor.request("configurationDone");
    await editor.response(launched);
    await editor.event("stopped");
    return editor;
}

function found(nodes: Node[], label: RegExp): Node {
    const all = (some: Node[]): Node[] => some.flatMap((node) => [node, ...all(node.children)]);
    const node = all(nodes).find((one) => label.test(one.label));
    if (node === undefined) {
        throw new Error(`no ${label} in ${all(nodes).map((one) => one.label).join("; ")}`);
    }
    return node;
}

const { HANG, OMPD_SCRIPT: SCRIPT } = process.env;
const skip = HANG && SCRIPT ? false : "no GDB 14 or later";

test("a deadlock in the view, from GDB that the extension has started", { skip }, async () => {
    const editor = await stoppedIn(HANG!, "printf", ["-iex", `source ${SCRIPT}`, "-iex", "ompd bt on"]);
    try {
        const gdb = gdbOf("gdb-openmp", (command, args) => editor.request(command, args));
        const stop = await readStop(gdb);
        const tree = treeOf(stop);
        assert.equal(tree[0].label, "Deadlock", tree[0].tooltip);
        const waits = found(tree, /^Who waits/);
        const step = found(waits.children, /^GDB \d: lock "account"$/);
        assert.match(step.description, /^→ GDB \d, deposit at hang\.c:27$/);
        assert.equal(found(waits.children, /^critical "ledger"$/).children.length, 2);
        assert.equal(found(tree, /^Region 1$/).description, "4 threads, main at hang.c:54");
        assert.match(found(tree, /^1 \(GDB/).description, /^waiting for lock "account", deposit at hang\.c:27$/);
        const deposit = found(found(tree, /^Stacks$/).children, /^deposit$/);
        assert.equal(deposit.place?.line, 27);

        const threadId = await selectThread(gdb, step.thread!.inferior, step.thread!.gdb_num);
        await editor.request(FOCUS, { threadId });
        assert.equal((await editor.event("stopped")).body.threadId, threadId);
        const { stackFrames } = await editor.request("stackTrace", { threadId });
        assert.deepEqual(stackFrames.map((frame: any) => frame.name), ["deposit", "main [parallel region]"]);
        const { threads } = await editor.request("threads");
        assert.match(threads.find((one: any) => one.id === threadId).name, /^1 of 4, waiting for lock "account" \[/);
    } finally {
        editor.adapter.dispose();
    }
});

test("a GDB of another front end has the script loaded", { skip }, async () => {
    const editor = await stoppedIn(HANG!, "look", []);
    try {
        const gdb = gdbOf("gdb", (command, args) => editor.request(command, args));
        await assert.rejects(readStop(gdb), /gdb-ompd is not loaded/);
        assert.equal((await readStop(gdb, SCRIPT)).threads.length, 4);
    } finally {
        editor.adapter.dispose();
    }
});

test("what is no debug adapter says so", async () => {
    const editor = new Editor(new GdbAdapter("/bin/false", []));
    await assert.rejects(editor.request("initialize"), /\/bin\/false has ended/);
    await editor.event("terminated");
    const none = new Editor(new GdbAdapter("/nonexistent/gdb", []));
    await assert.rejects(none.request("initialize"), /ENOENT/);
});
