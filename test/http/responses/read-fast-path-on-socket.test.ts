/** Known reads on a real socket: they are answered as they were the first time, byte for byte. */
import { once } from "node:events";
import { stat } from "node:fs";
import { connect } from "node:net";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { toOid } from "../../../src/git/objects/git-object.ts";
import { listen } from "../../../src/http/server.ts";
import type { Trace } from "../../../src/http/requests/trace.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { appOn, makeHive, makeToken, memoryDisk, memoryFolder } from "../../helpers/storage.ts";

const list = "/api/hives/web/strings";
const exported = "/api/hives/web/export?locale=fr";

let disk: Disk;
let storage: Storage;
let port: number;
let token: string;
let commit: string;
/** Of each answer whether it was known, and what was told of it. */
let told: { readonly isKnown: boolean; readonly status: number; readonly trace: Trace }[];
let logged: object[];

beforeEach(async () => {
  disk = memoryDisk();
  told = [];
  storage = openStorage({ disk, folder: memoryFolder() });
  await makeHive(storage, "web", { locales: ["fr"] });
  token = await makeToken(storage);
  const on = appOn(storage, {
    observers: [
      { responded: (trace, status, ms) => void told.push({ isKnown: ms === undefined, status, trace }) },
    ],
  });
  logged = on.logged;
  const { url, close } = await listen(on.app, { host: "127.0.0.1", port: 0, timeouts: { closing: 500 } });
  onTestFinished(() => close());
  port = Number(new URL(url).port);
  const strings = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`key_${i}`, "the same text"]));
  const body = JSON.stringify({ files: { "app.json": strings } });
  const lines = ["Content-Type: application/json", `Content-Length: ${body.length}`];
  const written = await sent(asking("POST", list, ...lines) + body);
  commit = /x-skep-commit: (\w+)/.exec(written)?.[1] ?? "";
  told.length = 0;
});

/** A request, after which the server closes the connection. */
function asking(method: string, path: string, ...lines: readonly string[]): string {
  return request(method, path, "Connection: close", ...lines);
}

function request(method: string, path: string, ...lines: readonly string[]): string {
  const own = ["Host: x", `Authorization: Bearer ${token}`, "X-Request-Id: mine", ...lines];
  return `${method} ${path} HTTP/1.1\r\n${own.join("\r\n")}\r\n\r\n`;
}

/** Sends bytes; gives what came back until the connection was closed. */
async function sent(bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  let text = "";
  socket.on("data", (chunk: string) => (text += chunk));
  socket.write(bytes);
  await once(socket, "close");
  return text;
}

/** An answer with its headers in an order that does not change, and at no time. */
function ordered(answer: string): unknown {
  const [head = "", body] = answer.split(/\r\n\r\n(.*)/s);
  const [start, ...headers] = head.split("\r\n");
  return { start, headers: headers.toSorted().map((line) => line.replace(/^(Date: ).*/, "$1")), body };
}

/** Asks twice; gives both answers, and whether they were known. */
async function twice(bytes: string) {
  told.length = 0;
  const [first, again] = [await sent(bytes), await sent(bytes)];
  return { first, again, known: told.map(({ isKnown }) => isKnown) };
}

describe("a repeated read", () => {
  it.each<[string, number, (tag: string) => string]>([
    ["a page", 200, () => asking("GET", `${list}?per_page=3&page=2`)],
    ["an export", 200, () => asking("GET", exported)],
    ["a list of Hives", 200, () => asking("GET", "/api/hives")],
    ["a commit", 200, () => asking("GET", `${list}?at=${commit}`)],
    ["a slash too many", 200, () => asking("GET", `/${list}`)],
    ["a whole URL", 200, () => asking("GET", `http://x${list}`)],
    ["compressed", 200, () => asking("GET", list, "Accept-Encoding: gzip")],
    ["encodings apart", 200, () => asking("GET", list, "Accept-Encoding: x", "Accept-Encoding: br")],
    ["HTTP/1.0", 200, () => asking("GET", list).replace("HTTP/1.1", "HTTP/1.0")],
    ["with a body", 200, () => `${asking("GET", list, "Content-Length: 2")}{}`],
    ["another tag", 200, () => asking("GET", list, 'If-None-Match: "x"')],
    ["not modified", 304, (tag) => asking("GET", list, `If-None-Match: ${tag}`)],
    ["tags apart", 304, (tag) => asking("GET", list, 'If-None-Match: "x"', `If-None-Match: ${tag}`)],
    ["any tag", 304, () => asking("GET", list, "If-None-Match: *")],
  ])("is answered with the same bytes as the first time: %s", async (_, status, make) => {
    // Under another address, so that the one asked for is not known by it.
    const [, tag = ""] = /etag: (\S+)/.exec(await sent(asking("GET", `${list}?page=1`))) ?? [];
    const { first, again, known } = await twice(make(tag));
    expect(known).toEqual([false, true]);
    expect(ordered(again)).toEqual(ordered(first));
    expect(first).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it.each<[string, number, () => string]>([
    ["HEAD", 200, () => asking("HEAD", list)],
    ["no Host", 400, () => asking("GET", list).replace("Host: x\r\n", "")],
    ["two Hosts", 400, () => asking("GET", list, "Host: y")],
    ["two tokens", 401, () => asking("GET", list, "Authorization: Bearer other")],
    ["another token", 401, () => asking("GET", list).replace(token, `${token}x`)],
    ["no token", 401, () => asking("GET", list).replace("Authorization", "X-Authorization")],
    ["another method", 405, () => asking("DELETE", list)],
    ["no path", 400, () => asking("GET", list).replace(list, list.slice(1))],
    ["a very long address", 200, () => asking("GET", `${list}?file=${"x".repeat(1_024)}`)],
  ])("a similar but different request is not answered from memory: %s", async (_, status, make) => {
    await twice(asking("GET", list));
    const { first, again, known } = await twice(make());
    expect(known).not.toContain(true);
    expect(ordered(again)).toEqual(ordered(first));
    expect(first).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it("has an id of its own, and is observed like the first", async () => {
    const { again } = await twice(asking("GET", list));
    expect(again).toMatch(/^x-request-id: mine\r$/m);
    const [first, known] = told.map(({ trace: { id, fields } }) => ({ id, fields }));
    expect(known).toEqual(first);
    for (const id of ["a b", `skep_abcdefghijkl_${"A".repeat(32)}`, "mine\r\nX-Request-Id: other"]) {
      const made = await sent(asking("GET", list).replace(": mine", `: ${id}`));
      expect(made).toMatch(/^x-request-id: [0-9a-f]{18}-[0-9a-z]+\r$/m);
      expect(told.at(-1)?.isKnown).toBe(true);
    }
  });

  it("waits its turn on a connection, which stays open", async () => {
    await twice(asking("GET", list));
    told.length = 0;
    const answers = await sent(
      request("GET", exported) + request("GET", list) + request("GET", "/nothing") + asking("GET", list),
    );
    expect(told.map(({ isKnown, status }) => `${isKnown} ${status}`)).toContain("true 200");
    const starts = Array.from(
      answers.matchAll(/HTTP\/1.1 (\d+) |^Connection: ([\w-]+)/gim),
      ([, a, b]) => a ?? b,
    );
    expect(starts).toEqual(["200", "keep-alive", "200", "keep-alive", "404", "keep-alive", "200", "close"]);
    expect(answers).toMatch(/"files"[^]*"data"[^]*"message"[^]*"data"/);
  });

  it("is processed again when the disk fails to tell whether it is current", async () => {
    await twice(asking("GET", list));
    const look = vi.spyOn(disk, "statSync").mockImplementation(() => {
      throw Object.assign(new Error("EIO"), { code: "EIO" });
    });
    const { first, known } = await twice(asking("GET", list));
    look.mockRestore();
    expect(first).toMatch(/^HTTP\/1.1 500 [^]*x-request-id: mine/);
    expect(known).toEqual([false, false]);
    expect(logged).toHaveLength(2);
    expect((await twice(asking("GET", list))).known).toEqual([false, true]);
  });

  it.each<[string, (check: () => void) => unknown]>([
    ["an immediate", setImmediate],
    ["a timer", setTimeout],
    ["a callback of a poll phase", (check) => stat("/", check)],
  ])("is not answered by a check made before it was sent: in %s", async (_, begin) => {
    await twice(asking("GET", list));
    const socket = connect(port, "127.0.0.1").setEncoding("latin1");
    await once(socket, "connect");
    let answer = "";
    socket.on("data", (chunk: string) => (answer += chunk));
    begin(() => {
      storage.registry.version.recent();
      storage.hives.at(toHiveSlug("web")).isAt(toOid(commit), undefined);
      // What happens to a file from now on is to be seen.
      vi.spyOn(disk, "statSync").mockImplementation(() => {
        throw Object.assign(new Error("EIO"), { code: "EIO" });
      });
      socket.write(asking("GET", list));
    });
    await once(socket, "close");
    vi.restoreAllMocks();
    expect(answer).toMatch(/^HTTP\/1.1 500 /);
  });
});
