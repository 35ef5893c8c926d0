// SPDX-License-Identifier: Apache-2.0
// GDB's own debug adapter, and one request more: `ompd-focus` has the editor go to a thread.
// An editor selects a thread by itself only where the program has stopped in it.

import { ChildProcess, spawn } from "child_process";

export interface Message {
    seq: number;
    type: string;
    [field: string]: any;
}

export type Listener = (message: Message) => void;

export const FOCUS = "ompd-focus";

/** Takes messages out of a stream. */
export class Reader {
    private rest = Buffer.alloc(0);

    constructor(private readonly found: Listener) {}

    /** Takes what has come, a part of a message or several. */
    take(chunk: Buffer): void {
        this.rest = Buffer.concat([this.rest, chunk]);
        for (;;) {
            const end = this.rest.indexOf("\r\n\r\n");
            const size = /Content-Length: *(\d+)/i.exec(this.rest.toString("latin1", 0, Math.max(end, 0)));
            if (end < 0 || size === null || this.rest.length < end + 4 + Number(size[1])) {
                return;
            }
            const body = this.rest.subarray(end + 4, end + 4 + Number(size[1]));
            this.rest = this.rest.subarray(end + 4 + Number(size[1]));
            this.found(JSON.parse(body.toString("utf8")));
        }
    }
}

/** A GDB that is a debug adapter, as VS Code takes one that lives in an extension. */
export class GdbAdapter {
    private readonly listeners: Listener[] = [];
    private readonly pending = new Map<number, Message>();
    private readonly gdb: ChildProcess;
    private complaint = "";
    private hasEnded = false;

    constructor(gdb: string, args: readonly string[], cwd?: string) {
        this.gdb = spawn(gdb, ["-q", "-i=dap", ...args], { cwd });
        const reader = new Reader((message) => this.told(message));
        this.gdb.stdout!.on("data", (chunk: Buffer) => reader.take(chunk));
        this.gdb.stderr!.on("data", (chunk: Buffer) => {
            this.complaint = (this.complaint + chunk.toString()).slice(-2000);
        });
        this.gdb.stdin!.on("error", () => undefined); // "close" says why
        this.gdb.on("error", (error) => this.end(`${gdb}: ${error.message}`));
        this.gdb.on("close", () => this.end(this.complaint.trim() || `${gdb} has ended`));
    }

    /** Has LISTENER called with each message; VS Code's Event. */
    onDidSendMessage = (listener: Listener, self?: unknown): { dispose(): void } => {
        const bound = self ? listener.bind(self) : listener;
        this.listeners.push(bound);
        return { dispose: () => void this.listeners.splice(this.listeners.indexOf(bound), 1) };
    };

    /** Takes a message of the editor's. */
    handleMessage(message: any): void {
        if (message.command === FOCUS) {
            this.focus(message);
            return;
        }
        if (message.type === "request") {
            this.pending.set(message.seq, message);
        }
        const text = Buffer.from(JSON.stringify(message));
        this.gdb.stdin!.write(`Content-Length: ${text.length}\r\n\r\n`);
        this.gdb.stdin!.write(text);
    }

    /** Ends GDB, and with it the program that it has started; GDB ends by itself as its input does. */
    dispose(): void {
        this.gdb.stdin!.end();
        const late = setTimeout(() => this.gdb.kill("SIGKILL"), 3000);
        this.gdb.on("close", () => clearTimeout(late));
    }

    private focus(request: Message): void {
        this.send({ seq: 0, type: "response", command: FOCUS, request_seq: request.seq, success: true });
        const { threadId } = request.arguments;
        const body = { reason: "pause", description: "Selected", threadId, allThreadsStopped: true, [FOCUS]: true };
        this.send({ seq: 0, type: "event", event: "stopped", body });
    }

    private told(message: Message): void {
        if (message.type === "response") {
            this.pending.delete(message.request_seq);
        }
        this.send(message);
    }

    private send(message: Message): void {
        for (const listener of [...this.listeners]) {
            listener(message);
        }
    }

    /** Answers what GDB has not, such as one that is no debug adapter. */
    private end(why: string): void {
        if (this.hasEnded) {
            return;
        }
        this.hasEnded = true;
        for (const { seq, command } of this.pending.values()) {
            this.send({ seq: 0, type: "response", command, request_seq: seq, success: false, message: why });
        }
        this.pending.clear();
        this.send({ seq: 0, type: "event", event: "terminated" });
    }
}
