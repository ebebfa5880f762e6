/** A served Hive that takes pushes, clones of it to push from, and pushes that no git would send. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import type { PushPolicy } from "../../../src/domain/hives/hive-settings.ts";
import { flushPacket, toPacket } from "../../../src/git/serve/pkt-line.ts";
import { updateHive } from "../../../src/service/admin/hive-settings.ts";
import { openLocalStorage, type Storage } from "../../../src/service/storage.ts";
import { git, request, serveInProcess, tryGit, type Ended, type Served } from "../process.ts";
import { byCommand, makeHive, makeToken, realFolder } from "../storage.ts";

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

export async function setUpPushes({
  policy = "all",
  serve = (folder) => serveInProcess(folder),
}: SetUpOptions = {}): Promise<Pushed> {
  const folder = realFolder();
  const storage = openLocalStorage(folder);
  const slug = toHiveSlug("web");
  await makeHive(storage, slug, { locales: ["fr", "de"] });
  await updateHive(storage, slug, { push: policy }, byCommand);
  const token = await makeToken(storage, { name: "Anna" });
  const server = await serve(folder);
  const call: Pushed["call"] = async (method, path, body, status = 200) => {
    const reply = await request(server, token, method, `/api/hives/web${path}`, body);
    expect([reply.status, reply.json]).toEqual([status, expect.anything()]);
    return reply.json;
  };
  await call("PUT", "/strings", {
    files: { "app.json": { title: "Hello", nav: { home: "Home", back: "Back" } } },
  });
  await call("POST", "/translations/fr", { files: { "app.json": { title: "Bonjour" } } });
  const clone: Pushed["clone"] = async (own = token) => {
    const at = join(realFolder(), "web");
    await git(folder, "clone", "--quiet", `${server.url.replace("//", `//x:${own}@`)}/hives/web.git`, at);
    return cloneAt(at);
  };
  return { storage, folder, repo: join(folder, "hives", "web.git"), server, token, clone, call };
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
      return (await git(folder, "rev-parse", "HEAD")).trim();
    },
    push: (...args) => tryGit(folder, ["push", ...args]),
  };
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
  const file = join(realFolder(), "revisions");
  writeFileSync(file, `${revisions.join("\n")}\n`);
  const command = `!git pack-objects --thin --revs --stdout --quiet < ${file} | base64`;
  return Buffer.from(await run("-c", `alias.packed=${command}`, "packed"), "base64");
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
