/** What the git that pushes is given, and what becomes of it. */
import fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { toBranchName } from "../../../src/domain/commits/branch-name.ts";
import { isOid } from "../../../src/domain/names.ts";
import { toOid } from "../../../src/git/objects/git-object.ts";
import { gitPush, type GitPushOptions, type Push } from "../../../src/git/process/git-push.ts";
import { eventually } from "../../helpers/eventually.ts";
import { holdLimit } from "../../helpers/limits/held-limit.ts";
import { serveGit } from "../../helpers/git/git-http.ts";
import { git } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

let folder: string;
let gitdir: string;
let remote: string;

beforeEach(async () => {
  folder = realFolder();
  gitdir = join(folder, "hive.git");
  remote = join(folder, "remote.git");
  await git(folder, "init", "-q", "--bare", remote);
  await git(folder, "init", "-q", "work");
  await git(join(folder, "work"), "commit", "-q", "--allow-empty", "-m", "first");
  await git(folder, "clone", "-q", "--bare", "work", gitdir);
});

const head = async (of = gitdir) => (await git(of, "rev-parse", "main")).trim();

async function push(
  address: string,
  {
    signal = new AbortController().signal,
    branches = false,
    gone = [],
    ...options
  }: GitPushOptions & Partial<Pick<Push, "signal" | "branches" | "gone">> = {},
) {
  const commit = await head();
  if (!isOid(commit)) throw new Error("not an object name");
  const environment = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    ...options.environment,
  };
  const url = toMirrorUrl(address);
  return gitPush({ ...options, environment })({ gitdir, url, commit, branches, gone, signal });
}

/** A program that notes its arguments and environment. */
function spy(name: string, ending = "exit 1"): string {
  const path = join(folder, name);
  const lines = ["#!/bin/sh", `echo "$@" > '${path}.args'`, `env > '${path}.env'`, ending];
  fs.writeFileSync(path, lines.join("\n"), { mode: 0o755 });
  return path;
}

it("a remote gets main and tags and no other branch", async () => {
  await git(gitdir, "branch", "private");
  await git(gitdir, "tag", "v1");
  expect(await push(remote)).toEqual({ kind: "pushed" });
  expect(await head(remote)).toBe(await head());
  expect((await git(remote, "for-each-ref", "--format=%(refname)")).trim().split("\n")).toEqual([
    "refs/heads/main",
    "refs/tags/v1",
  ]);
});

describe("a remote that gets all branches", () => {
  const refsOf = async (of: string) => (await git(of, "for-each-ref")).trim().split("\n");

  it("gets no hidden refs, and keeps those that it is not told to delete", async () => {
    await git(gitdir, "branch", "feature/login");
    await git(gitdir, "tag", "v1");
    const visible = await refsOf(gitdir);
    await git(gitdir, "update-ref", "refs/skep/deleted/1/gone", "main");
    expect(await push(remote, { branches: true })).toEqual({ kind: "pushed" });
    expect(await refsOf(remote)).toEqual(visible);
    await git(gitdir, "branch", "-D", "feature/login");
    expect(await push(remote, { branches: true })).toEqual({ kind: "pushed" });
    expect(await refsOf(remote)).toEqual(visible);
  });

  it("loses those that are gone, and none that somebody else has moved or made", async () => {
    const main = toOid(await head());
    for (const name of ["kept", "gone", "moved"]) await git(gitdir, "branch", name);
    expect(await push(remote, { branches: true })).toEqual({ kind: "pushed" });
    const theirs = (await git(remote, "commit-tree", "-p", main, "-m", "theirs", "main^{tree}")).trim();
    await git(remote, "update-ref", "refs/heads/moved", theirs);
    await git(remote, "branch", "own", "main");
    for (const name of ["gone", "moved"]) await git(gitdir, "branch", "-D", name);
    // Its name needs the place of one that is gone.
    await git(gitdir, "branch", "gone/again");
    const gone = ["gone", "moved", "never/there"].map((name) => ({ name: toBranchName(name), commit: main }));
    expect(await push(remote, { branches: true, gone })).toEqual({ kind: "pushed" });
    const names = (await git(remote, "branch", "--format=%(refname:short)")).trim().split("\n");
    expect(names).toEqual(["gone/again", "kept", "main", "moved", "own"]);
    expect((await git(remote, "rev-parse", "moved")).trim()).toBe(theirs);
  });

  it("a remote that lets no branch be deleted gets all others", async () => {
    const main = toOid(await head());
    await git(remote, "config", "receive.denyDeletes", "true");
    await git(remote, "fetch", "-q", gitdir, "main:gone");
    await git(gitdir, "branch", "new");
    const gone = [{ name: toBranchName("gone"), commit: main }];
    expect(await push(remote, { branches: true, gone })).toEqual({ kind: "pushed" });
    expect(await git(remote, "branch", "--format=%(refname:short)")).toBe("gone\nmain\nnew\n");
  });

  it("a branch that is another one at the remote is rejected by name, while main is pushed", async () => {
    await git(remote, "fetch", "-q", gitdir, "main:main");
    const tree = (await git(gitdir, "rev-parse", "main^{tree}")).trim();
    const theirs = (await git(remote, "commit-tree", "-m", "theirs", tree)).trim();
    await git(remote, "update-ref", "refs/heads/feature/login", theirs);
    await git(gitdir, "branch", "feature/login");
    const next = (await git(gitdir, "commit-tree", "-m", "next", "-p", "main", tree)).trim();
    await git(gitdir, "update-ref", "refs/heads/main", next);
    expect(await push(remote, { branches: true })).toEqual({
      kind: "rejected",
      error: expect.stringMatching(/^feature\/login was rejected \(fetch first\)/),
    });
    expect(await git(remote, "rev-parse", "main", "feature/login")).toBe(`${next}\n${theirs}\n`);
  });
});

it("a tag that differs at the remote is rejected, and stays", async () => {
  await push(remote);
  await git(remote, "tag", "-a", "-m", "theirs", "v1", "main");
  const theirs = await git(remote, "rev-parse", "v1");
  await git(gitdir, "tag", "v1");
  expect(await push(remote)).toEqual({
    kind: "rejected",
    error: expect.stringMatching(/^v1 was rejected \(already exists\)/),
  });
  expect(await git(remote, "rev-parse", "v1")).toBe(theirs);
});

it("a remote whose hook says no is rejected with what it says", async () => {
  const hook = "#!/bin/sh\necho 'not today: https://u:s3cret@example.org/'\nexit 1\n";
  fs.writeFileSync(join(remote, "hooks/pre-receive"), hook, { mode: 0o755 });
  expect(await push(remote)).toEqual({
    kind: "rejected",
    error: "main was rejected (pre-receive hook declined); remote: not today: https://example.org/",
  });
});

describe("ssh", () => {
  it("never prompts, and gets the user's own agent and command but nothing of ours", async () => {
    const ssh = spy("ssh");
    const outcome = await push("git@example.org:web.git", {
      environment: {
        GIT_SSH_COMMAND: ssh,
        SSH_AUTH_SOCK: "/agent",
        SKEP_SECRET: "s3cret",
        GIT_TRACE_CURL: "1",
        GIT_DIR: "/elsewhere",
        GIT_ASKPASS: spy("askpass"),
      },
    });
    expect(outcome.kind).toBe("failed");
    const args = fs.readFileSync(`${ssh}.args`, "utf8");
    expect(args).toContain("-o BatchMode=yes");
    expect(args).toContain("git@example.org git-receive-pack 'web.git'");
    const variables = fs.readFileSync(`${ssh}.env`, "utf8");
    expect(variables).toMatch(/^SSH_AUTH_SOCK=\/agent$/m);
    expect(variables).toMatch(/^GIT_TERMINAL_PROMPT=0$/m);
    expect(variables).not.toMatch(/^SKEP_|^GIT_TRACE|elsewhere|s3cret/m);
  });
});

describe("the user's settings", () => {
  it("cannot take an address to a transport that runs commands, nor off the machine without encryption", async () => {
    const owned = join(folder, "owned");
    for (const [address, to, transport] of [
      [remote, `ext::sh -c touch% ${owned} `, "ext"],
      ["https://example.org/", "http://example.org/", "http"],
      ["ssh://example.org/", "git://example.org/", "git"],
    ] as const) {
      fs.writeFileSync(join(folder, ".gitconfig"), `[url "${to}"]\n\tinsteadOf = ${address}\n`);
      expect(await push(address === remote ? remote : `${address}x.git`)).toEqual({
        kind: "failed",
        error: expect.stringContaining(`transport '${transport}' not allowed`),
      });
    }
    expect(fs.existsSync(owned)).toBe(false);
  });

  it("cannot make a push follow, sign, or ask", async () => {
    const asked = spy("askpass");
    fs.writeFileSync(
      join(folder, ".gitconfig"),
      `[push]\n\tgpgSign = true\n\tfollowTags = true\n[core]\n\taskPass = ${asked}\n\thooksPath = ${folder}\n`,
    );
    spy("pre-push");
    expect(await push(remote)).toEqual({ kind: "pushed" });
    const web = await serveGit(folder, { user: "bee", password: "honey" });
    expect((await push(`${web.url}/remote.git`)).kind).toBe("failed");
    expect(fs.existsSync(`${asked}.args`)).toBe(false);
    expect(fs.existsSync(join(folder, "pre-push.args"))).toBe(false);
  });
});

describe("a web server", () => {
  it("that redirects git is not followed", async () => {
    const [one, other] = [
      await serveGit(folder, { user: "bee", password: "honey" }),
      await serveGit(folder, { user: "bee", password: "honey" }),
    ];
    one.mode = { redirect: other.url };
    const outcome = await push(`${one.url}/remote.git`);
    expect(outcome.kind).toBe("failed");
    expect(other.requests).toEqual([]);
  });

  it("on this machine is not reached through a proxy", async () => {
    const proxy = await serveGit(folder, { user: "bee", password: "honey" });
    const web = await serveGit(folder, { user: "bee", password: "honey" });
    fs.writeFileSync(join(folder, ".gitconfig"), `[http]\n\tproxy = ${proxy.url}\n`);
    fs.writeFileSync(join(folder, ".netrc"), "machine 127.0.0.1 login bee password honey\n");
    const environment = { http_proxy: proxy.url, ALL_PROXY: proxy.url };
    expect(await push(`${web.url}/remote.git`, { environment })).toEqual({ kind: "pushed" });
    expect(proxy.requests).toEqual([]);
  });

  it("a push to a web server that does not answer in time is stopped, with everything that git started", async () => {
    const web = await serveGit(folder, { user: "bee", password: "honey" });
    web.mode = "hang";
    const url = `${web.url}/remote.git`;
    const timeoutMs = 54_000;
    const limit = holdLimit(timeoutMs);
    const pushing = push(url, { timeoutMs });
    await eventually(() => expect(web.requests).toHaveLength(1));
    await limit.pass();
    expect(await pushing).toEqual({ kind: "failed", error: "the push took longer than 54 s" });
    await expect.poll(() => web.connections()).toBe(0);
  });

  it("a push to a web server that does not answer is stopped on request", async () => {
    const web = await serveGit(folder, { user: "bee", password: "honey" });
    web.mode = "hang";
    const ending = new AbortController();
    const pushing = push(`${web.url}/remote.git`, { signal: ending.signal });
    await expect.poll(() => web.requests.length).toBe(1);
    ending.abort();
    expect(await pushing).toEqual({ kind: "stopped" });
    expect(await push(remote, { signal: ending.signal })).toEqual({ kind: "stopped" });
  });
});

it("a machine without git is distinguished from a remote that fails", async () => {
  const environment = { PATH: join(folder, "nothing") };
  expect(await push(remote, { environment })).toEqual({ kind: "no-git", error: "git is not installed" });
});
