// SPDX-License-Identifier: Apache-2.0
// Asks GDB, whichever debug adapter is in front of it.

import { Stop } from "./documents";

/** Answers GDB's command; fails with GDB's message. */
export type Gdb = (command: string) => Promise<string>;

/** Sends a request to the adapter; gives the response's body. */
export type Request = (command: string, args: object) => Thenable<any>;

const NOT_LOADED = /Undefined command: +"ompd"/;

/** GDB's own adapter takes commands as they are typed, cpptools after a word. */
export function gdbOf(sessionType: string, request: Request): Gdb {
    const prefix = sessionType === "cppdbg" ? "-exec " : "";
    return async (command) => {
        const expression = prefix + command;
        const body = await request("evaluate", { expression, context: "repl" });
        return String(body.result);
    };
}

async function document(gdb: Gdb, command: string): Promise<any> {
    const said = await gdb(`ompd ${command} -json`);
    const begin = said.indexOf("{");
    if (begin < 0) {
        throw new Error(said.trim() || "GDB has said nothing");
    }
    return JSON.parse(said.slice(begin, said.lastIndexOf("}") + 1));
}

/** Reads the stop. Loads SCRIPT, if there is one, into a GDB that does not know the commands. */
export async function readStop(gdb: Gdb, script?: string): Promise<Stop> {
    const why = await loaded(gdb, () => document(gdb, "why"), script);
    const regions = (await document(gdb, "parallel -all")).regions;
    const threads = (await document(gdb, "threads")).threads;
    const trees = (await document(gdb, "bt -team -all")).trees;
    return { why, regions, threads, trees };
}

async function loaded<T>(gdb: Gdb, ask: () => Promise<T>, script?: string): Promise<T> {
    try {
        return await ask();
    } catch (error) {
        if (!NOT_LOADED.test(String(error))) {
            throw error;
        }
    }
    if (script === undefined) {
        throw new Error('gdb-ompd is not loaded: install it, or set "gdb-ompd.script"');
    }
    await gdb(`source ${script}`);
    return ask();
}

/** Selects a thread in GDB; gives the number that adapters have for it. */
export async function selectThread(gdb: Gdb, inferior: number, number: number): Promise<number> {
    await gdb(`thread ${inferior}.${number}`);
    const known = /\d+/.exec(await gdb("output $_gthread"));
    return known ? Number(known[0]) : number;
}
