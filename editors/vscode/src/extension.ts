// SPDX-License-Identifier: Apache-2.0
// The view "OpenMP" of VS Code, and GDB's debug adapter with the extension loaded.

import { existsSync } from "fs";
import { homedir } from "os";
import { join } from "path";
import * as vscode from "vscode";
import { FOCUS, GdbAdapter } from "./adapter";
import { gdbOf, readStop, selectThread } from "./asking";
import { Node, treeOf, treeOfError } from "./tree";

const OWN = "gdb-openmp";
/** Debug adapters with GDB behind them that take its commands. */
const TYPES = [OWN, "gdb", "cppdbg"];

function setting(name: string): string {
    return vscode.workspace.getConfiguration("gdb-ompd").get<string>(name, "");
}

/** The file to load into GDB; undefined where none is found. */
function script(context: vscode.ExtensionContext): string | undefined {
    const installed = [join(homedir(), ".local"), "/usr/local", "/usr"].map((prefix) =>
        join(prefix, "share", "gdb-ompd", "ompd.py"),
    );
    const checkout = join(context.extensionPath, "..", "..", "gdb-scripts", "ompd.py");
    return setting("script") || [checkout, ...installed].find((file) => existsSync(file));
}

class View implements vscode.TreeDataProvider<Node> {
    private readonly changed = new vscode.EventEmitter<void>();
    readonly onDidChangeTreeData = this.changed.event;
    private readonly tree: vscode.TreeView<Node>;
    private nodes: Node[] = [];
    private session?: vscode.DebugSession;
    /** Another one whenever the program has stopped or goes on. */
    private moment = 0;
    private isStale = false;

    constructor(private readonly script: () => string | undefined) {
        this.tree = vscode.window.createTreeView("gdb-ompd.view", { treeDataProvider: this, showCollapseAll: true });
        this.tree.onDidChangeVisibility(() => this.readIfAsked());
    }

    getChildren(node?: Node): Node[] {
        return node ? node.children : this.nodes;
    }

    getTreeItem(node: Node): vscode.TreeItem {
        const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
        const item = new vscode.TreeItem(node.label, !node.children.length ? None : node.isOpen ? Expanded : Collapsed);
        item.id = node.id;
        item.description = node.description;
        item.tooltip = node.tooltip ?? `${node.label} ${node.description}`;
        item.iconPath = node.icon === undefined ? undefined : icon(node.icon);
        if (node.place || node.thread) {
            item.command = { command: "gdb-ompd.goTo", title: "Go to Thread", arguments: [node] };
        }
        return item;
    }

    /** The program has stopped. Nothing is asked while nobody looks. */
    stopped(session: vscode.DebugSession): void {
        this.session = session;
        this.moment++;
        this.isStale = true;
        this.readIfAsked();
    }

    wentOn(session: vscode.DebugSession, ended: boolean): void {
        if (session !== this.session) {
            return;
        }
        this.moment++;
        this.isStale = false;
        this.session = ended ? undefined : session;
        this.show([], ended ? undefined : "Running");
    }

    readIfAsked(): void {
        if (this.tree.visible && this.isStale) {
            void this.read();
        }
    }

    async read(): Promise<void> {
        const { session, moment } = this;
        if (session === undefined) {
            return;
        }
        this.isStale = false;
        try {
            const stop = await readStop(this.gdb(session), this.script());
            if (moment === this.moment) {
                this.show(treeOf(stop), stop.why.text.charAt(0).toUpperCase() + stop.why.text.slice(1));
            }
        } catch (error) {
            if (moment === this.moment) {
                this.show(treeOfError(error instanceof Error ? error.message : String(error)));
            }
        }
    }

    /** Goes to a node's thread and to its line. */
    async goTo(node: Node): Promise<void> {
        const { session } = this;
        if (session !== undefined && node.thread !== undefined) {
            const threadId = await selectThread(this.gdb(session), node.thread.inferior, node.thread.gdb_num);
            if (session.type === OWN) {
                await session.customRequest(FOCUS, { threadId });
            }
        }
        if (node.place?.file && existsSync(node.place.file)) {
            const at = new vscode.Range(node.place.line! - 1, 0, node.place.line! - 1, 0);
            await vscode.window.showTextDocument(vscode.Uri.file(node.place.file), { selection: at, preserveFocus: true });
        }
    }

    private gdb(session: vscode.DebugSession) {
        return gdbOf(session.type, (command, args) => session.customRequest(command, args));
    }

    private show(nodes: Node[], message?: string): void {
        this.nodes = nodes;
        this.tree.message = message;
        this.changed.fire();
    }
}

const CODICONS: Record<NonNullable<Node["icon"]>, [string, string?]> = {
    error: ["error", "testing.iconFailed"], warning: ["warning", "list.warningForeground"], info: ["info"],
    pass: ["debug-start", "testing.iconPassed"], lock: ["lock"], sync: ["sync", "testing.iconFailed"],
    group: ["organization"], thread: ["circle-outline"], frame: ["debug-stackframe"],
};

function icon(name: NonNullable<Node["icon"]>): vscode.ThemeIcon {
    const [codicon, color] = CODICONS[name];
    return new vscode.ThemeIcon(codicon, color ? new vscode.ThemeColor(color) : undefined);
}

/** Tells the view what a session's adapter says. */
function tracker(view: View, session: vscode.DebugSession): vscode.DebugAdapterTracker {
    return {
        onDidSendMessage(message: any) {
            if (message.type !== "event") {
                return;
            }
            if (message.event === "stopped" && !message.body?.[FOCUS]) {
                view.stopped(session);
            } else if (["continued", "exited", "terminated"].includes(message.event)) {
                view.wentOn(session, message.event !== "continued");
            }
        },
        onExit: () => view.wentOn(session, true),
    };
}

export function activate(context: vscode.ExtensionContext): void {
    const found = () => script(context);
    const view = new View(found);
    context.subscriptions.push(
        vscode.commands.registerCommand("gdb-ompd.refresh", () => view.read()),
        vscode.commands.registerCommand("gdb-ompd.goTo", (node: Node) => view.goTo(node)),
        vscode.debug.registerDebugAdapterDescriptorFactory(OWN, {
            createDebugAdapterDescriptor(session) {
                const file = found();
                const isLogical = vscode.workspace.getConfiguration("gdb-ompd").get("logicalStacks", true);
                const load = file === undefined ? [] : ["-iex", `source ${file}`];
                load.push(...(file !== undefined && isLogical ? ["-iex", "ompd bt on"] : []));
                const adapter = new GdbAdapter(setting("gdb") || "gdb", load, session.workspaceFolder?.uri.fsPath);
                return new vscode.DebugAdapterInlineImplementation(adapter as unknown as vscode.DebugAdapter);
            },
        }),
        ...TYPES.map((type) =>
            vscode.debug.registerDebugAdapterTrackerFactory(type, {
                createDebugAdapterTracker: (session) => tracker(view, session),
            }),
        ),
    );
}
