/** A served Hive that takes pushes, clones of it to push from, and pushes that no git would send. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import type { PushPolicy } from "../../../src/domain/hives/hive-settings.ts";
import { flushPacket, toPacket } from "../../../src/git/serve/pkt-line.ts";
import { updateHive } from "../../../src/service/admin/hives.ts";
import { openLocalStorage, type Storage } from "../../../src/service/storage.ts";
import { git, request, serveInProcess, tryGit, type Ended, type Served } from "../process.ts";
import { byCommand, copiedStorages, harness, makeHive, makeToken, realFolder } from "../storage.ts";

/** A served Hive with the locales fr and de. */
export interface Pushed {
  readonly storage: Storage;
  readonly folder: string;
  /** The folder of the Hive's repository. */
  readonly repo: string;
  readonly server: Served;
  readonly token: string;
  /** Clones it with a token; a token that can read and write by default. */
  readonly clone: (token?: string) => Promise<Clone>;
  /** Calls the API, and expects a certain status. */
  readonly call: (method: string, path: string, body?: unknown, status?: number) => Promise<unknown>;
}

export interface Clone {
  readonly folder: string;
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Writes files, given as text or as JSON, removes those that are undefined, and commits all that there is. */
  readonly commit: (files: Readonly<Record<string, unknown>>) => Promise<string>;
  readonly push: (...args: readonly string[]) => Promise<Ended>;
}

export interface SetUpOptions {
  readonly policy?: PushPolicy;
  readonly serve?: (folder: string) => Promise<Served>;
}

/** Storages by whether the Hive takes pushes, with a token. */
const copyStorage = copiedStorages(async (folder, policy: PushPolicy) => {
  const storage = openLocalStorage(folder);
  const slug = toHiveSlug("web");
  await makeHive(storage, slug, { locales: ["fr", "de"] });
  await updateHive(storage, slug, { push: policy }, byCommand);
  const token = await makeToken(storage, { name: "Anna" });
  const { call } = harness(storage, token);
  const texts = { title: "Hello", nav: { home: "Home", back: "Back" } };
  await call("PUT", "/api/hives/web/strings", { body: { files: { "app.json": texts } } });
  const files = { "app.json": { title: "Bonjour" } };
  await call("POST", "/api/hives/web/translations/fr", { body: { files } });
  return token;
});

/** Clones by the refs of the Hive, which are copied, too. */
const clones = new Map<string, string>();

export async function setUpPushes({
  policy = "all",
  serve = (folder) => serveInProcess(folder),
}: SetUpOptions = {}): Promise<Pushed> {
  const [folder, token] = await copyStorage(policy);
  const storage = openLocalStorage(folder);
  const server = await serve(folder);
  const repo = join(folder, "hives", "web.git");
  const call: Pushed["call"] = async (method, path, body, status = 200) => {
    const reply = await request(server, token, method, `/api/hives/web${path}`, body);
    expect([reply.status, reply.json]).toEqual([status, expect.anything()]);
    return reply.json;
  };
  const clone: Pushed["clone"] = async (own = token) => {
    const at = join(realFolder(), "web");
    const url = `${server.url.replace("//", `//x:${own}@`)}/hives/web.git`;
    const refs = await git(repo, "for-each-ref");
    const known = own === token ? clones.get(refs) : undefined;
    if (known === undefined) await git(folder, "clone", "--quiet", url, at);
    else {
      cpSync(known, at, { recursive: true });
      await git(at, "remote", "set-url", "origin", url);
    }
    if (known === undefined && own === token) {
      const kept = join(realFolder(), "web");
      cpSync(at, kept, { recursive: true });
      clones.set(refs, kept);
    }
    return cloneAt(at);
  };
  return { storage, folder, repo, server, token, clone, call };
}

function cloneAt(folder: string): Clone {
  return {
    folder,
    git: async (...args) => (await git(folder, ...args)).trimEnd(),
    commit: async (files) => {
      for (const [path, content] of Object.entries(files)) {
        const file = join(folder, path);
        mkdirSync(dirname(file), { recursive: true });
        if (content === undefined) rmSync(file);
        else
          writeFileSync(
            file,
            typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`,
          );
      }
      await git(folder, "add", "--all");
      await git(folder, "commit", "--quiet", "--allow-empty", "--message", "By hand");
      return headOf(folder);
    },
    push: (...args) => tryGit(folder, ["push", ...args]),
  };
}

/** The commit at HEAD, of which a loose ref tells where HEAD is no commit itself. */
function headOf(folder: string): string {
  const read = (path: string): string => readFileSync(join(folder, ".git", path), "utf8").trim();
  const head = read("HEAD");
  return head.startsWith("ref: ") ? read(head.slice(5)) : head;
}

/** Every file below a repository's objects, refs and quarantine: what a refused push must leave as it was. */
export async function contentOf(repo: string): Promise<string> {
  const objects = await git(repo, "cat-file", "--batch-all-objects", "--batch-check");
  const refs = await git(repo, "for-each-ref");
  return objects + refs;
}

const none = "0".repeat(40);

/** The body of a push. */
export function pushOf(
  commands: readonly { readonly before?: string; readonly after?: string; readonly ref?: string }[],
  pack: Uint8Array,
): Buffer {
  const lines = commands.map(
    ({ before = none, after = none, ref = "refs/heads/main" }, i) =>
      `${before} ${after} ${ref}${i === 0 ? "\0report-status side-band-64k" : ""}\n`,
  );
  return Buffer.concat([...lines.map(toPacket), flushPacket, pack]);
}

/** What git would send to move main to a commit, from where the clone knows it to be. */
export async function thinPush({ git: run }: Pick<Clone, "git">, after: string): Promise<Buffer> {
  const before = await run("rev-parse", "origin/main");
  return pushOf([{ before, after }], await packOf(run, after, `^${before}`));
}

/** A thin pack of what commits reach. */
export async function packOf(run: Clone["git"], ...revisions: readonly string[]): Promise<Buffer> {
  const cwd = await run("rev-parse", "--absolute-git-dir");
  const args = ["pack-objects", "--thin", "--revs", "--stdout", "--quiet"];
  const input = `${revisions.join("\n")}\n`;
  return execFileSync("git", args, { cwd, input, stdio: ["pipe", "pipe", "pipe"], maxBuffer: 1 << 28 });
}

/** Sends what no git would send, and gives what git would show. */
export async function sendPush(
  { server, token }: Pick<Pushed, "server" | "token">,
  body: Uint8Array,
): Promise<string> {
  const reply = await fetch(`${server.url}/hives/web.git/git-receive-pack`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/x-git-receive-pack-request" },
    body,
  });
  return `${reply.status} ${await reply.text()}`;
}
