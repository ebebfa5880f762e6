/** A repository's own configuration and references, which tell git to run programs and to show other objects. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { text as buffered } from "node:stream/consumers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { formatSettingName, parseSettingNames } from "../../src/git/process/repository-config.ts";
import { flushPacket, toPacket } from "../../src/git/serve/pkt-line.ts";
import { toMirrorUrl } from "../../src/domain/hives/mirror-url.ts";
import { toHiveSlug } from "../../src/domain/names.ts";
import { openLocalStorage, type Storage } from "../../src/service/storage.ts";
import { verify } from "../../src/service/operations/verify.ts";
import { eventually } from "../helpers/eventually.ts";
import { git } from "../helpers/process.ts";
import { harness, realFolder, setUpRealWeb } from "../helpers/storage.ts";
import { runs } from "../helpers/runs.ts";

const delimiter = Buffer.from("0001");
const web = toHiveSlug("web");
const refs = "/hives/web.git/info/refs?service=git-upload-pack";

let storage: Storage;
let folder: string;
let repo: string;
let token: string;
/** A program that leaves a mark when it is run. */
let program: string;
let mark: string;

beforeEach(async () => {
  ({ folder, storage, token } = await setUpRealWeb({ locales: ["fr"] }));
  repo = join(folder, "hives", "web.git");
  program = join(realFolder(), "program");
  mark = `${program}.ran`;
  writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\nexit 1\n`);
  chmodSync(program, 0o755);
});

async function problems(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { problem } of verify(storage, { slug: web, repair: false })) found.push(problem);
  return found;
}

/** What git answers to one who wants an object, or how it lists references. */
async function fetched(oid?: string): Promise<string> {
  const packets = ["command=fetch\n", delimiter, `want ${oid}\n`, "done\n"].map((packet) =>
    typeof packet === "string" ? toPacket(packet) : packet,
  );
  const body = oid === undefined ? undefined : Buffer.concat([...packets, flushPacket]);
  const output = await storage.git.uploadPack(repo, {
    body,
    version: 2,
    signal: new AbortController().signal,
  });
  return output === undefined ? "" : buffered(output);
}

/** Everything that starts git in the repository. */
async function useGit(): Promise<void> {
  const main = storage.hives.at(web).head();
  await fetched(main).catch(() => "refused");
  await harness(storage, token).call("GET", "/api/hives/web/history");
  const url = toMirrorUrl(`file://${join(folder, "mirror.git")}`);
  await storage.git.push({
    gitdir: repo,
    url,
    commit: main,
    branches: false,
    gone: [],
    signal: new AbortController().signal,
  });
  await storage.packer.pack(web);
  await problems();
}

describe("a repository's own git configuration", () => {
  it("makes git fetch nothing: no program runs for a promisor remote", async () => {
    const blob = (await git(repo, "rev-parse", "main:README.md")).trim();
    rmSync(join(repo, "objects", blob.slice(0, 2), blob.slice(2)));
    await git(repo, "config", "remote.origin.url", `ext::${program}`);
    await git(repo, "config", "remote.origin.promisor", "true");
    await git(repo, "config", "protocol.ext.allow", "always");
    await useGit();
    expect(existsSync(mark)).toBe(false);
    expect(await problems()).toContain(
      "the repository's git configuration has remote.origin.promisor, protocol.ext.allow: git is not run in it, neither for clones and mirrors nor for packing",
    );
  });

  it.each<[string, () => Promise<unknown> | void]>([
    ["core.fsmonitor", () => git(repo, "config", "core.fsmonitor", program)],
    ["core.sshcommand", () => git(repo, "config", "core.sshCommand", program)],
    ["core.alternaterefscommand", () => git(repo, "config", "core.alternateRefsCommand", program)],
    ["credential.helper", () => git(repo, "config", "credential.helper", program)],
    ["url.file:///.insteadof", () => git(repo, "config", "url.file:///.insteadOf", "https://")],
    ["include.path", () => git(repo, "config", "include.path", "more")],
    ["extensions.worktreeconfig", () => git(repo, "config", "extensions.worktreeConfig", "true")],
    ["remote.file:///x.pushurl", () => git(repo, "config", "remote.file:///x.pushurl", "elsewhere")],
    ["uploadpack.packobjectshook", () => git(repo, "config", "uploadpack.packObjectsHook", program)],
    ["the file commondir", () => writeFileSync(join(repo, "commondir"), "/elsewhere\n")],
    [
      "the file remotes/host:path",
      () => {
        mkdirSync(join(repo, "remotes"));
        writeFileSync(join(repo, "remotes/host:path"), "URL: elsewhere\n");
      },
    ],
    ["the file config, of which line 1 cannot be read", () => writeFileSync(join(repo, "config"), "[core")],
  ])(
    "a repository's git configuration with %s is reported, and git is not run there",
    async (name, change) => {
      await change();
      expect((await problems()).filter((problem) => problem.includes("git configuration"))).toEqual([
        `the repository's git configuration has ${name}: git is not run in it, neither for clones and mirrors nor for packing`,
      ]);
      const { call } = harness(storage, token);
      expect((await call("GET", refs)).status).toBe(503);
      // On a machine with much to do the lock may not be had in the time that a packing waits for it.
      await eventually(async () => expect(await storage.packer.pack(web)).toMatchObject({ kind: "failed" }));
      expect(existsSync(mark)).toBe(false);
    },
  );

  it("keeps a Hive readable and writable without git, loose or packed", async () => {
    const { call } = harness(storage, token);
    const post = (value: string) =>
      call("POST", "/api/hives/web/strings", { body: { files: { "a.php": { k: value } } } });
    expect((await post("one")).status).toBe(200);
    await storage.packer.pack(web);
    await git(repo, "config", "core.fsmonitor", program);
    const { call: later } = harness(openLocalStorage(folder), token);
    expect((await later("GET", "/api/hives/web/strings")).json.data).toMatchObject([{ source_value: "one" }]);
    expect((await post("two")).status).toBe(200);
    expect((await later("GET", "/api/hives/web/history")).json.data).toHaveLength(3);
    expect(existsSync(mark)).toBe(false);
  });

  it("a repository's git configuration may have the settings of a user: remotes, packing, users, hooks", async () => {
    const hook = `#!/bin/sh\ntouch '${mark}'\n`;
    for (const name of ["pre-push", "reference-transaction", "post-index-change"]) {
      mkdirSync(join(repo, "hooks"), { recursive: true });
      writeFileSync(join(repo, "hooks", name), hook, { mode: 0o755 });
    }
    for (const [key, value] of [
      ["gc.auto", "0"],
      ["pack.threads", "1"],
      ["user.email", "somebody@example.org"],
      ["remote.backup.url", "https://example.org/x.git"],
      ["remote.backup.fetch", "+refs/*:refs/*"],
      ["core.logAllRefUpdates", "true"],
      ["core.sharedRepository", "group"],
      ["receive.denyNonFastForwards", "true"],
      ["uploadpack.allowAnySHA1InWant", "true"],
      ["core.hooksPath", join(repo, "hooks")],
    ] as const) {
      await git(repo, "config", key, value);
    }
    await git(repo, "gc", "--quiet");
    rmSync(mark, { force: true });
    expect(await problems()).toEqual([]);
    expect(await fetched()).toContain("version 2");
    await useGit();
    expect(existsSync(mark)).toBe(false);
  });
});

describe("a configuration file", () => {
  it("every setting for git in a configuration file is found, however it is written", () => {
    const part = fc.constantFrom(
      "[core]",
      '[core "x"]',
      "[core.X]",
      '[remote "a\\"b"]',
      "[a][b]",
      "[",
      "]",
      "core",
      "fsmonitor",
      "=",
      " = ",
      "\n",
      "\r\n",
      "\r",
      "\t",
      " ",
      "#",
      ";",
      "\\",
      "\\\n",
      '"',
      "\0",
      "\v",
      "\f",
      "\u00a0",
      "é",
      "-",
      "1",
      "x y",
    );
    const file = join(realFolder(), "config");
    const seen = (text: string): readonly string[] | undefined => {
      try {
        return parseSettingNames(text).map(formatSettingName);
      } catch {
        return undefined;
      }
    };
    const property = fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
      const text = `[core]\n${parts.join("")}`;
      const names = seen(Buffer.from(text).toString("latin1"));
      if (names === undefined) return;
      writeFileSync(file, text);
      const listed = spawnSync("git", ["config", "--file", file, "--list", "--name-only", "-z"]);
      if (listed.status !== 0) return;
      expect(names).toEqual(listed.stdout.toString("latin1").split("\0").slice(0, -1));
    });
    fc.assert(property, { numRuns: runs(75) });
  });

  it("is read in all its usual forms", () => {
    const text = '; mine\n[Core]\n\tBare = true # yes\n\tflag\n[remote "O.k"] url=x\n[old.Form]\nkey="a;b"\n';
    expect(parseSettingNames(text).map(formatSettingName)).toEqual([
      "core.bare",
      "core.flag",
      "remote.O.k.url",
      "old.form.key",
    ]);
  });
});

describe("a file that replaces or grafts objects in a repository", () => {
  it("opens nothing unreachable to a clone", async () => {
    const file = join(realFolder(), "private");
    writeFileSync(file, "private text");
    const blob = (await git(repo, "hash-object", "-w", file)).trim();
    const hidden = (await git(repo, "commit-tree", "-m", "Hidden", "main^{tree}")).trim();
    const readme = (await git(repo, "rev-parse", "main:README.md")).trim();
    await git(repo, "replace", "--force", readme, blob);
    const main = (await git(repo, "rev-parse", "main")).trim();
    mkdirSync(join(repo, "info"), { recursive: true });
    writeFileSync(join(repo, "info/grafts"), `${main} ${hidden}\n`);
    for (const oid of [hidden, blob]) {
      expect(await fetched(oid)).toContain(`not our ref ${oid}`);
    }
    expect(await problems()).toEqual([]);
    expect(readFileSync(join(repo, "info/grafts"), "utf8")).toContain(hidden);
  });
});
