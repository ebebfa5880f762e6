/** A proxy in front of a port of this machine that can hold back, cut, and refuse what goes through it. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * Told of every piece that a client sends: `cut` ends its connection before the piece goes on, `cut-after` when the server
 * has it; `stop` keeps it back, and `stop-and-cut` ends the client's connection then.
 */
export type Judge = (sent: Buffer) => "pass" | "cut" | "stop" | "cut-after" | "stop-and-cut";

/** Whether a piece ends a transaction. Its beginning names the level READ COMMITTED. */
export function isCommit(sent: Buffer): boolean {
  return /\bCOMMIT\b/.test(sent.toString("latin1"));
}

export interface Cuttable {
  readonly port: number;
  /** Replaces what decides about each piece from now on; all pass at first. */
  readonly judge: (judge: Judge) => void;
  /** Nothing goes through the present connections any more, and nobody is told. */
  readonly deafen: () => void;
  /** Ends all connections now. */
  readonly cutAll: () => void;
  /** Lets go on what was kept back, also on connections that the client has left. */
  readonly release: () => void;
  /** Whether new connections are taken. */
  readonly accept: (isOpen: boolean) => void;
}

/** Starts such a proxy; it ends with the test. */
export async function startCuttable(upstream: number): Promise<Cuttable> {
  let judge: Judge = () => "pass";
  let isOpen = true;
  let kept: (() => void)[] = [];
  const pairs = new Set<readonly [Socket, Socket]>();
  const deaf = new Set<Socket>();
  const server = createServer((client) => {
    if (!isOpen) {
      client.destroy();
      return;
    }
    const to = connect(upstream, "127.0.0.1");
    const pair = [client, to] as const;
    pairs.add(pair);
    let isKept = false;
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      // What is kept back may still arrive after the client has left.
      if (!isKept) to.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    to.on("data", (data) => client.writable && !deaf.has(client) && client.write(data));
    client.on("data", (data: Buffer) => {
      if (deaf.has(client)) return;
      const verdict = judge(data);
      if (verdict === "cut") end();
      else if (verdict === "cut-after") to.write(data, () => client.destroy());
      else if (verdict === "stop" || verdict === "stop-and-cut") {
        isKept = true;
        if (verdict === "stop-and-cut") client.destroy();
        kept.push(() => {
          isKept = false;
          to.write(data);
        });
      } else to.write(data);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cutAll = (): void => {
    for (const [client, to] of pairs) {
      client.destroy();
      to.destroy();
    }
  };
  onTestFinished(() => {
    cutAll();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not a TCP server");
  return {
    port: address.port,
    judge: (next) => (judge = next),
    deafen: () => {
      for (const [client] of pairs) deaf.add(client);
    },
    cutAll,
    release: () => {
      for (const go of kept) go();
      kept = [];
    },
    accept: (next) => (isOpen = next),
  };
}

/** Keeps back what is sent from now on. @returns resolves when something was. */
export function silenced(proxy: Cuttable): Promise<void> {
  return new Promise((resolve) => {
    proxy.judge(() => {
      resolve();
      return "stop";
    });
  });
}
