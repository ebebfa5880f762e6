/** The protocol of git's clones on a real socket: what is no request, who goes away, what takes too long, the end. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { flushPacket, toPacket } from "../../../src/git/serve/pkt-line.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import type { GitPrograms } from "../../../src/git/programs.ts";
import type { AppOptions } from "../../../src/http/pipeline/shared.ts";
import { listen, type Timeouts } from "../../../src/http/server.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { eventually } from "../../helpers/eventually.ts";
import { holdLimit } from "../../helpers/limits/held-limit.ts";
import {
  addLargeFile,
  delimiter,
  fetchOf,
  stalledClone,
  uploadPackPath,
  uploadPackType,
  wantMain,
  workersIn,
} from "../../helpers/git/stalled-clone.ts";
import { git } from "../../helpers/process.ts";
import {
  appOn,
  harness,
  makeHive,
  makeToken,
  realFolder,
  setUpRealWeb,
  setUpWeb,
} from "../../helpers/storage.ts";

const pack = uploadPackPath;
const requestType = uploadPackType;
const refs = "/hives/web.git/info/refs?service=git-upload-pack";
let storage: Storage;
let repo: string;
let token: string;

// Tests only add to the repository; the last one deletes it.
beforeAll(async () => {
  let folder: string;
  ({ folder, storage, token } = await setUpRealWeb({ locales: ["fr"] }));
  repo = join(folder, "hives", "web.git");
});

interface Running {
  readonly url: string;
  readonly close: () => Promise<void>;
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  readonly post: (body: Uint8Array, headers?: Record<string, string>) => Promise<Response>;
  readonly logged: object[];
}

async function start(options: Partial<AppOptions> = {}, timeouts: Partial<Timeouts> = {}): Promise<Running> {
  const limits = { bodyLimit: 100_000, bodyBudget: 300_000, maxClones: 8, cloneTimeout: 600_000 };
  const { app, logged } = appOn(storage, { ...limits, ...options });
  const { url, close } = await listen(app, {
    host: "127.0.0.1",
    port: 0,
    timeouts: { closing: 500, ...timeouts },
  });
  onTestFinished(() => void close());
  const authorization = `Bearer ${token}`;
  return {
    url,
    close,
    get: (path, headers) => fetch(url + path, { headers: { authorization, ...headers } }),
    post: (body, headers) =>
      fetch(url + pack, {
        method: "POST",
        headers: { authorization, "content-type": requestType, "git-protocol": "version=2", ...headers },
        body,
      }),
    logged,
  };
}

const nobodyAtWork = () => eventually(() => expect(workersIn(repo)).toEqual([]));

describe("a request of the protocol", () => {
  it.each<[string, string]>([
    ["version=2", "000eversion 2\n"],
    ["version=1", "001e# service=git-upload-pack\n0000000eversion 1\n"],
    ["version=0", "001e# service=git-upload-pack\n0000"],
    ["version=2:key=value", "000eversion 2\n"],
    ["version=2;reboot", "001e# service=git-upload-pack\n0000"],
    ["version=22", "001e# service=git-upload-pack\n0000"],
    ["version=2 $(reboot)", "001e# service=git-upload-pack\n0000"],
    ["", "001e# service=git-upload-pack\n0000"],
  ])("is answered in the version that is asked for: %s", async (version, beginning) => {
    const { get } = await start();
    const reply = await get(refs, { "git-protocol": version });
    expect([reply.status, reply.headers.get("content-type"), reply.headers.get("cache-control")]).toEqual([
      200,
      "application/x-git-upload-pack-advertisement",
      "no-store",
    ]);
    const text = await reply.text();
    expect(text.slice(0, beginning.length)).toBe(beginning);
    expect(text.includes("version 1")).toBe(version === "version=1");
  });

  it("may be compressed", async () => {
    const { post } = await start();
    for (const encoding of ["gzip", "x-gzip"]) {
      const reply = await post(gzipSync(await wantMain(repo)), { "content-encoding": encoding });
      expect(await reply.text()).toContain("PACK");
    }
  });

  it.each<[number, string, Uint8Array, Record<string, string>]>([
    [400, "nonsense", Buffer.from("nonsense"), {}],
    [400, "what is not packed", Buffer.from("0000"), { "content-encoding": "gzip" }],
    [400, "what is cut off", gzipSync("0000").subarray(0, 12), { "content-encoding": "gzip" }],
    [413, "too much", Buffer.alloc(100_001), {}],
    [413, "a bomb", gzipSync(Buffer.alloc(10_000_000)), { "content-encoding": "gzip" }],
    [415, "another packing", Buffer.from("0000"), { "content-encoding": "br" }],
    [415, "another type", Buffer.from("0000"), { "content-type": "application/json" }],
  ])("is a %i when it is %s", async (status, _, body, headers) => {
    const { post, logged } = await start();
    const reply = await post(body, headers);
    expect([reply.status, await reply.json()]).toEqual([
      status,
      { message: expect.stringMatching(/./), code: expect.any(String) },
    ]);
    expect(logged).toEqual([]);
  });

  it("never gets an unreachable file, by any way that git has", async () => {
    const { post } = await start();
    const main = (await git(repo, "rev-parse", "main")).trim();
    const file = join(realFolder(), "private");
    writeFileSync(file, "/private\n");
    const blob = (await git(repo, "hash-object", "-w", file)).trim();
    const hidden = (await git(repo, "commit-tree", "-m", "Hidden parent", "main^{tree}")).trim();
    const child = (await git(repo, "commit-tree", "-p", hidden, "-m", "Hidden", "main^{tree}")).trim();
    const answer = async (...lines: string[]) => (await post(fetchOf(...lines))).text();
    for (const oid of [blob, child, blob.toUpperCase()]) {
      expect(await answer(`want ${oid}\n`)).toBe(
        String(toPacket(`ERR upload-pack: not our ref ${oid.toLowerCase()}`)),
      );
    }
    expect(await answer(`want ${main}\n`, `want ${blob}\n`)).toContain("not our ref");
    const unshallow = await answer(`want ${main}\n`, `shallow ${child}\n`, "deepen 2147483647\n");
    expect(unshallow).toContain("PACK");
    expect(unshallow).not.toContain("unshallow");
    expect(await answer(`want ${main}\n`, `filter sparse:oid=${blob}\n`)).toContain("ERR");
    expect(await answer(`want ${main}\n`, "want-ref refs/heads/main\n")).not.toContain("PACK");
    const info = [toPacket("command=object-info"), delimiter, toPacket("size"), toPacket(`oid ${blob}`)];
    expect((await post(Buffer.concat([...info, flushPacket]))).status).toBe(400);
    expect(unshallow).not.toContain(repo);
  });
});

describe("a request that git would not accept", () => {
  it("a request is decompressed only up to the longest request", async () => {
    const { post, logged } = await start({ bodyLimit: 33_554_432, bodyBudget: 100_000_000 });
    const bomb = gzipSync(Buffer.alloc(33_554_432, "0004"));
    expect(bomb.length).toBeLessThan(40_000);
    const reply = await post(bomb, { "content-encoding": "gzip" });
    expect([reply.status, await reply.json()]).toEqual([
      413,
      { message: "The body is larger than 4194304 bytes.", code: "body_too_large" },
    ]);
    expect(
      (await post(gzipSync(Buffer.alloc(4_000_000, "0001")), { "content-encoding": "gzip" })).status,
    ).toBe(400);
    expect(logged).toEqual([]);
  });

  it.each<[string, readonly string[]]>([
    ["want-ref", ["want-ref refs/heads/main\n"]],
    ["a bad time", ["deepen-since yesterday\n"]],
    ["a bad depth", ["deepen 0\n"]],
    ["a filter that there is not", ["filter blob:some\n"]],
    ["a line that there is not", ["reboot\n"]],
  ])("is a 400 and not logged as an error: %s", async (_, lines) => {
    const { post, logged } = await start();
    const main = (await git(repo, "rev-parse", "main")).trim();
    const reply = await post(fetchOf(`want ${main}\n`, ...lines));
    expect([reply.status, await reply.json()]).toEqual([
      400,
      { message: "The body is not a valid request of git's protocol.", code: "malformed_request" },
    ]);
    expect((await post(Buffer.from("0003"))).status).toBe(400);
    expect(logged).toEqual([]);
  });

  it.each<[string, readonly string[], RegExp]>([
    ["no commit is so new", ["deepen-since 99999999999\n"], /shallow-info|NAK/],
    ["no reference is called so", ["deepen-not nope\n"], /ERR upload-pack: deepen-not is not a ref/],
    ["a hidden reference is called so", ["deepen-not private\n"], /ERR upload-pack: deepen-not is not a ref/],
    ["a filter reads files", ["filter sparse:oid=main:x\n"], /ERR filter 'sparse:oid' not supported/],
  ])("gets the reason: %s", async (_, lines, words) => {
    const { post, logged } = await start();
    const main = (await git(repo, "rev-parse", "main")).trim();
    await git(repo, "update-ref", "refs/skep/deleted/1/private", main);
    for (const [version, body] of [
      ["2", fetchOf(`want ${main}\n`, ...lines)],
      [
        "0",
        Buffer.concat([
          toPacket(`want ${main} filter\n`),
          ...lines.map(toPacket),
          flushPacket,
          toPacket("done\n"),
        ]),
      ],
    ] as const) {
      const reply = await post(body, { "git-protocol": `version=${version}` });
      expect([version, reply.status, await reply.text()]).toEqual([
        version,
        200,
        expect.stringMatching(words),
      ]);
    }
    expect(logged).toEqual([]);
  });
});

describe("a commit that a client claims to have", () => {
  it("is acknowledged only if a branch or a tag reaches it", async () => {
    const { post } = await start();
    const first = (await git(repo, "rev-parse", "main")).trim();
    const commit = async (parent: string, message: string) =>
      (await git(repo, "commit-tree", "-p", parent, "-m", message, "main^{tree}")).trim();
    const second = await commit(first, "Second");
    const hidden = await commit(first, "Hidden");
    await git(repo, "update-ref", "refs/heads/main", second);
    await git(repo, "tag", "--annotate", "--message", "One", "v1", first);
    const tag = (await git(repo, "rev-parse", "v1")).trim();
    const blob = (await git(repo, "rev-parse", "main:README.md")).trim();
    const absent = "0123456789".repeat(4);
    const acknowledged = async (version: string, oid: string) => {
      const wanted = [toPacket(`want ${second}\n`)];
      const asked = toPacket(`have ${oid}\n`);
      const body =
        version === "2"
          ? Buffer.concat([toPacket("command=fetch\n"), delimiter, ...wanted, asked, flushPacket])
          : Buffer.concat([...wanted, flushPacket, asked, flushPacket]);
      const reply = await post(body, { "git-protocol": `version=${version}` });
      expect(reply.status).toBe(200);
      const text = await reply.text();
      return /ACK [0-9a-f]{40}/.test(text);
    };
    for (const version of ["0", "1", "2"]) {
      const known = [first, second, tag].map((oid) => acknowledged(version, oid));
      const unknown = [hidden, blob, absent].map((oid) => acknowledged(version, oid));
      expect([version, await Promise.all(known)]).toEqual([version, [true, true, true]]);
      expect([version, await Promise.all(unknown)]).toEqual([version, [false, false, false]]);
    }
  });
});

describe("a request outside the protocol", () => {
  it.each([
    "HEAD",
    "config",
    "objects/info/packs",
    "objects/00/00000000000000000000000000000000000000",
    "hooks/update.sample",
    "info/refs/",
    "info%2frefs",
    "",
    "git-upload-archive",
  ])("is not served: %s", async (path) => {
    const { call } = harness(storage, token);
    const anonymous = await call("GET", `/hives/web.git/${path}`, { token: null });
    expect([anonymous.status, anonymous.headers.get("www-authenticate")]).toEqual([
      401,
      'Basic realm="skep", charset="UTF-8"',
    ]);
    for (const method of ["GET", "POST"]) {
      expect((await call(method, `/hives/web.git/${path}`)).status).toBe(404);
    }
  });

  it.each([
    "",
    "?service=",
    "?service=git-upload-archive",
    "?service=git-upload-pack&service=git-upload-pack",
  ])("the dumb protocol is not served: info/refs%s", async (query) => {
    const reply = await harness(storage, token).call("GET", `/hives/web.git/info/refs${query}`);
    expect([reply.status, reply.json.message]).toEqual([
      403,
      "Only git's smart HTTP protocol is served; use git 1.6.6 or later.",
    ]);
  });

  it("other methods are not served", async () => {
    const { call } = harness(storage, token);
    const wrong = [await call("POST", refs), await call("GET", pack), await call("HEAD", refs)];
    expect(wrong.map(({ status, headers }) => [status, headers.get("allow")])).toEqual([
      [405, "GET"],
      [405, "POST"],
      [405, "GET"],
    ]);
  });

  it("a push is not served where pushing is off", async () => {
    const { get } = await start({ maxPushes: 0 });
    const reply = await get("/hives/web.git/info/refs?service=git-receive-pack");
    const told = expect.stringContaining("ERR This server takes no pushes");
    expect([reply.status, await reply.text()]).toEqual([200, told]);
  });
});

describe("a caller without access", () => {
  beforeAll(() => makeHive(storage, "secret", { team: "rival" }));

  it.each(["nope", "secret", "--upload-pack=x", "-c", "..%2fweb", "%2e%2e", "web.git", "%77eb%00", "WEB"])(
    "gets the same answer for everything out of reach: %s",
    async (slug) => {
      const { call } = harness(storage, token);
      const missing = await call("GET", "/hives/missing.git/info/refs?service=git-upload-pack");
      for (const service of ["git-upload-pack", "git-receive-pack"]) {
        const reply = await call("GET", `/hives/${slug}.git/info/refs?service=${service}`);
        expect([reply.status, reply.text]).toEqual([404, missing.text]);
      }
    },
  );

  it("is checked in order: token, ability, reach", async () => {
    const { call } = harness(storage, await makeToken(storage, { abilities: ["write"] }));
    const status = async (slug: string, own?: string | null) =>
      (await call("GET", `/hives/${slug}.git/info/refs`, own === undefined ? {} : { token: own })).status;
    expect([await status("nope", null), await status("nope", "x"), await status("nope")]).toEqual([
      401, 401, 403,
    ]);
  });

  it.each<[number, string, (own: string) => string]>([
    [200, "the token as password", (own) => `Basic ${btoa(`anyone:${own}`)}`],
    [200, "no user name", (own) => `basic ${btoa(`:${own}`)}`],
    [200, "the token as user name", (own) => `Basic ${btoa(`${own}:`)}`],
    [200, "the token as user name of OAuth", (own) => `Basic ${btoa(`${own}:x-oauth-basic`)}`],
    [401, "the token as user name and another password", (own) => `Basic ${btoa(`${own}:x`)}`],
    [401, "no colon", (own) => `Basic ${btoa(own)}`],
    [401, "no base64", (own) => `Basic :${own}`],
    [401, "nothing", () => "Basic "],
  ])("is detected by %s: %s", async (status, _, headerOf) => {
    const { get } = await start();
    const reply = await get(refs, { authorization: headerOf(token) });
    await reply.text();
    expect(reply.status).toBe(status);
  });
});

describe("without git", () => {
  it("without git, a clone is a 501", async () => {
    const { call } = await setUpWeb();
    const headers = { "content-type": requestType };
    for (const reply of [await call("GET", refs), await call("POST", pack, { body: "0000", headers })]) {
      expect([reply.status, reply.json]).toEqual([
        501,
        {
          message: "Cloning is not possible: git is not installed on the server.",
          code: "not_implemented",
        },
      ]);
    }
  });
});

describe("a repository that git cannot read", () => {
  it("is an internal error, which reveals nothing of it", async () => {
    const { get, logged } = await start();
    const head = readFileSync(join(repo, "HEAD"));
    onTestFinished(() => writeFileSync(join(repo, "HEAD"), head));
    writeFileSync(join(repo, "HEAD"), "broken");
    const reply = await get(refs);
    expect([reply.status, await reply.text()]).toEqual([500, expect.not.stringContaining("repository")]);
    expect(logged).toHaveLength(1);
    await nobodyAtWork();
  });
});

describe("a clone that waits for git", () => {
  it("may wait longer than a connection may stall", async () => {
    const sockets: Socket[] = [];
    const onRequest = (message: unknown): void => {
      const isRequest = typeof message === "object" && message !== null && "socket" in message;
      if (isRequest && message.socket instanceof Socket) sockets.push(message.socket);
    };
    subscribe("http.server.request.start", onRequest);
    onTestFinished(() => void unsubscribe("http.server.request.start", onRequest));
    /** How long the connection may be without traffic, and when that is so; 0 is without end. */
    const limits: (readonly [string, number | undefined])[] = [];
    const note = (when: string): void => void limits.push([when, sockets.at(-1)?.timeout]);
    const uploadPack: GitPrograms["uploadPack"] = async (...request) => {
      note("before git begins");
      const output = await storage.git.uploadPack(...request);
      note("before it is answered");
      output?.once("end", () => note("when all is sent"));
      return output;
    };
    const stalled = 654_321;
    const { get } = await start(
      { storage: { ...storage, git: { ...storage.git, uploadPack } } },
      { stalled },
    );
    const reply = await get(refs);
    expect([reply.status, (await reply.text()).slice(0, 8)]).toEqual([200, "001e# se"]);
    expect(limits).toEqual([
      ["before git begins", 0],
      ["before it is answered", 0],
      ["when all is sent", stalled],
    ]);
  });
});

describe("a clone under way", () => {
  beforeAll(() => addLargeFile(repo));

  it("ends with its client", async () => {
    const { url, logged } = await start();
    const socket = await stalledClone(url, token, repo);
    socket.destroy();
    await nobodyAtWork();
    expect(logged).toEqual([]);
  });

  it("takes a place, for which others wait and which it gives back", async () => {
    const { url, get } = await start({ maxClones: 1 });
    const socket = await stalledClone(url, token, repo);
    const waiting = get(refs);
    socket.destroy();
    expect((await (await waiting).text()).slice(0, 8)).toBe("001e# se");
    await nobodyAtWork();
    for (let i = 0; i < 3; i++) {
      const reply = await get(refs);
      expect(reply.status).toBe(200);
      await reply.text();
    }
  });

  it("is cut off when it takes too long", async () => {
    const cloneTimeout = 54_321;
    const limit = holdLimit(cloneTimeout);
    const { url, logged } = await start({ cloneTimeout });
    const socket = await stalledClone(url, token, repo);
    await limit.pass();
    await nobodyAtWork();
    socket.resume();
    await once(socket, "close");
    expect(logged).toEqual([]);
  });

  it("is cut off when the server stops, in time", async () => {
    const { url, close } = await start({ cloneTimeout: 600_000 });
    await stalledClone(url, token, repo);
    await expect(close()).resolves.toBeUndefined();
    await nobodyAtWork();
  });

  it("does no harm when its Hive is deleted", async () => {
    const { url, get, logged } = await start();
    const socket = await stalledClone(url, token, repo);
    await deleteHive(storage, toHiveSlug("web"));
    expect((await get(refs)).status).toBe(404);
    socket.resume();
    socket.destroy();
    await nobodyAtWork();
    expect(logged).toEqual([]);
  });
});
