/** Hives cloned and fetched by real git from a running server. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import {
  addLargeFile,
  stalledClone,
  uploadPackPath,
  uploadPackType,
  wantMain,
  workersIn,
} from "../helpers/git/stalled-clone.ts";
import {
  createToken,
  git,
  request,
  serveInProcess,
  skepOk,
  startServer,
  startServerIn,
  tryGit,
  type Ended,
  type Served,
} from "../helpers/process.ts";
import { copiedStorages, realFolder } from "../helpers/storage.ts";

interface Setup {
  readonly server: Served;
  readonly storage: string;
  readonly token: string;
  /** The Hive's own repository. */
  readonly repo: string;
  /** An empty folder to clone into. */
  readonly folder: string;
  /** The address of a Hive with a password in it. */
  readonly address: (slug?: string, password?: string) => string;
  readonly post: (file: string, texts: object) => Promise<void>;
  readonly run: (...args: string[]) => Promise<Ended>;
}

const copyStorage = copiedStorages(async (folder: string) => {
  for (const team of ["acme", "rival"]) await skepOk(folder, "team", "create", team);
  await skepOk(folder, "hive", "create", "web", "--team", "acme", "--locale", "fr");
  await skepOk(folder, "hive", "create", "secret", "--team", "rival");
  return createToken(folder, ["read", "write"], "--name", "CI");
});

async function setUp(start: (storage: string) => Promise<Served> = serveInProcess): Promise<Setup> {
  const [storage, token] = await copyStorage(undefined);
  const server = await start(storage);
  const folder = realFolder();
  return {
    server,
    storage,
    token,
    repo: join(storage, "hives", "web.git"),
    folder,
    address: (slug = "web", password = token) =>
      `${server.url.replace("//", `//anything:${password}@`)}/hives/${slug}.git`,
    post: async (file, texts) => {
      const body = { files: { [file]: texts } };
      expect((await request(server, token, "POST", "/api/hives/web/strings", body)).status).toBe(200);
    },
    run: (...args) => tryGit(folder, args),
  };
}

const done = { code: 0 };

describe("a Hive over HTTP", () => {
  it("is cloned with the token as password, and fetched when it has moved", async () => {
    const { run, address, post, folder, repo, token } = await setUp();
    await post("auth.php", { failed: "No" });
    expect(await run("clone", address(), "web")).toMatchObject(done);
    const clone = join(folder, "web");
    expect(readFileSync(join(clone, "locales/en/auth.php.json"), "utf8")).toBe('{\n  "failed": "No"\n}\n');
    expect(readFileSync(join(clone, "README.md"), "utf8")).toMatch(/^# Translations\n/);
    expect(await git(clone, "rev-parse", "origin/HEAD")).toBe(await git(repo, "rev-parse", "main"));

    await post("auth.php", { failed: "Nope" });
    await git(repo, "tag", "--annotate", "--message", "First", "v1", "main");
    expect(await run("-C", "web", "pull", "--tags")).toMatchObject(done);
    expect(await git(clone, "log", "--format=%s", "v1")).toBe(await git(repo, "log", "--format=%s", "main"));
    expect((await run("ls-remote", address())).stdout.match(/\S+$/gm)).toEqual([
      "HEAD",
      "refs/heads/main",
      "refs/tags/v1",
      "refs/tags/v1^{}",
    ]);
    expect(await git(clone, "fsck", "--strict", "--full")).toBe("");
    expect((await tryGit(folder, ["grep", "-rn", "--no-index", token, "web/locales"])).code).toBe(1);
  });

  it("a Hive is cloned with the token in a header or from a helper, and the clone does not store the token", async () => {
    const { server, token, folder, post } = await setUp();
    await post("auth.php", { failed: "No" });
    const url = `${server.url}/hives/web.git`;
    const header = {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "http.extraHeader",
      GIT_CONFIG_VALUE_0: `Authorization: Bearer ${token}`,
    };
    expect(await tryGit(folder, ["clone", url, "header"], header)).toMatchObject(done);
    const helper = 'credential.helper=!f() { echo username=token; echo "password=$TOKEN"; }; f';
    expect(
      await tryGit(folder, ["clone", "--config", helper, url, "helper"], { TOKEN: token }),
    ).toMatchObject(done);
    for (const clone of ["header", "helper"]) {
      expect(existsSync(join(folder, clone, "hive.yaml"))).toBe(true);
      expect(readFileSync(join(folder, clone, ".git/config"), "utf8")).not.toContain(token);
    }
  });

  it.each(["0", "1", "2"])("is served in protocol version %s, as a whole or in part", async (version) => {
    const { run, address, post, folder, repo } = await setUp();
    await post("auth.php", { failed: "No" });
    await post("auth.php", { failed: "Nope" });
    const clone = (name: string, ...flags: string[]) =>
      run("-c", `protocol.version=${version}`, "clone", "--quiet", ...flags, address(), name);
    expect(await clone("whole")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await git(join(folder, "whole"), "rev-parse", "HEAD")).toBe(await git(repo, "rev-parse", "main"));
    expect(await clone("shallow", "--depth", "1")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await git(join(folder, "shallow"), "rev-list", "--count", "HEAD")).toBe("1\n");
    expect(await run("-C", "shallow", "fetch", "--quiet", "--unshallow")).toMatchObject(done);
    expect(await git(join(folder, "shallow"), "rev-list", "--count", "HEAD")).toBe("3\n");
  });

  it.each(["0", "1", "2"])(
    "a Hive is cloned partially by version %s, and the rest comes when asked for",
    async (version) => {
      const { run, address, post, folder } = await setUp();
      await post("auth.php", { failed: "No" });
      await post("auth.php", { failed: "Nope" });
      const flags = ["--config", `protocol.version=${version}`, "--quiet", "--filter=blob:none"];
      expect(await run("clone", ...flags, address(), "web")).toMatchObject(done);
      const clone = join(folder, "web");
      const missing = async () =>
        (await git(clone, "rev-list", "--objects", "--missing=print", "HEAD")).match(/^\?/gm)?.length ?? 0;
      // The first text, and the settings before the first import recorded the syntax.
      expect(await missing()).toBe(2);
      expect((await run("-C", "web", "log", "-p", "--format=%s")).stdout).toContain('-  "failed": "No"');
      expect(await missing()).toBe(0);
    },
  );

  it.each(["x", "x-oauth-basic", ""])(
    "is cloned as from other hosts, without .git, with the token as user name: %s",
    async (password) => {
      const { run, server, token } = await setUp();
      const credentials = password === "x" ? `x:${token}` : `${token}:${password}`;
      const url = `${server.url.replace("//", `//${credentials}@`)}/hives/web`;
      expect(await run("clone", "--quiet", url)).toMatchObject(done);
      expect(await run("-C", "web", "pull", "--quiet")).toMatchObject(done);
    },
  );

  it.each(["/hives//web.git", "//hives/web.git/", "/hives/web.git//"])(
    "is found with repeated slashes: %s",
    async (path) => {
      const { run, server, token } = await setUp();
      const url = server.url.replace("//", `//x:${token}@`) + path;
      expect((await run("ls-remote", url)).stdout).toContain("refs/heads/main");
    },
  );

  it("an empty Hive and a packed one can be cloned", async () => {
    const { run, address, folder, repo } = await setUp();
    await git(repo, "gc", "--quiet", "--prune=now");
    expect(await run("clone", address(), "web")).toMatchObject(done);
    expect((await git(join(folder, "web"), "ls-files")).trim().split("\n")).toEqual([
      "README.md",
      "hive.yaml",
    ]);
  });
});

describe("a caller without access", () => {
  it("is told why, in words that git shows", async () => {
    const { run, address, server, storage } = await setUp();
    const writer = await createToken(storage, ["write"]);
    const wrong = await run("clone", address("web", "skep_wrong"), "a");
    expect(wrong.stderr).toContain("remote: Unauthenticated.\n");
    expect((await run("clone", address("web", writer), "b")).stderr).toContain(
      "remote: This token lacks the read ability.",
    );
    const missing = (await run("clone", address("nope"), "c")).stderr;
    const other = (await run("clone", address("secret"), "c")).stderr;
    expect(other.replaceAll("secret", "nope")).toBe(missing);
    expect(other).toContain("remote: This token has access to no such Hive.");
    expect((await run("clone", `${server.url}/hives/web.git`, "d")).stderr).toContain(
      "could not read Username",
    );
  });

  it("a token cannot clone from the moment it is revoked", async () => {
    const { run, address, storage, token } = await setUp();
    await skepOk(storage, "token", "revoke", token.split("_")[1] ?? "");
    expect((await run("ls-remote", address())).stderr).toContain("remote: Unauthenticated.");
  });
});

describe("a push", () => {
  it("is refused with a hint what to do instead, after a password was asked for", async () => {
    const { run, address, server, folder, repo, storage } = await setUp();
    await run("clone", address(), "web");
    writeFileSync(join(folder, "web/x"), "x");
    await git(join(folder, "web"), "add", "x");
    await git(join(folder, "web"), "commit", "--quiet", "--message", "By hand");
    await skepOk(storage, "hive", "update", "web", "--push", "none");
    const before = await git(repo, "rev-parse", "main");
    const { code, stderr } = await run("-C", "web", "push");
    expect([code, stderr]).toEqual([
      128,
      "fatal: remote error: This Hive takes no pushes: import texts over the API instead, POST /api/hives/web/strings or /translations/{locale}.\n",
    ]);
    expect((await run("-C", "web", "push", `${server.url}/hives/web.git`)).stderr).toContain(
      "could not read Username",
    );
    expect(await git(repo, "rev-parse", "main")).toBe(before);
  });
});

describe("an object that no ref reaches", () => {
  it("is not advertised, and not served to callers who know its name", async () => {
    const { run, address, repo, post, folder } = await setUp();
    await post("auth.php", { failed: "No" });
    const file = join(folder, "private");
    writeFileSync(file, "private text");
    const blob = (await git(repo, "hash-object", "-w", file)).trim();
    const commit = (await git(repo, "commit-tree", "-m", "Private", "main^{tree}")).trim();
    await git(repo, "update-ref", "refs/skep/deleted/1/private", commit);
    await git(repo, "update-ref", "refs/notes/commits", commit);
    await git(repo, "config", "uploadpack.allowAnySHA1InWant", "true");
    await git(repo, "config", "uploadpack.hideRefs", "!refs/skep");
    expect((await run("ls-remote", address())).stdout.match(/\S+$/gm)).toEqual(["HEAD", "refs/heads/main"]);
    await git(folder, "init", "--quiet", "web");
    const absent = "0123456789".repeat(4);
    for (const version of ["0", "2"]) {
      for (const oid of [blob, commit, absent]) {
        const fetched = await run("-C", "web", "-c", `protocol.version=${version}`, "fetch", address(), oid);
        expect(fetched.stderr).toContain(`not our ref ${oid}`);
      }
      const inside = (await git(repo, "rev-parse", "main:locales")).trim();
      expect(
        await run("-C", "web", "-c", `protocol.version=${version}`, "fetch", "--quiet", address(), inside),
      ).toMatchObject(done);
    }
    await git(repo, "symbolic-ref", "HEAD", "refs/heads/private");
    for (const version of ["0", "2"]) {
      const { stdout } = await run("-c", `protocol.version=${version}`, "ls-remote", address());
      expect(stdout.match(/\S+$/gm)).toEqual(["refs/heads/main"]);
    }
  });
});

describe("a server without git", () => {
  it("refuses clones with the reason, and does everything else", async () => {
    const { run, address, post, server, token } = await setUp((storage) =>
      startServerIn({ PATH: "/nonexistent" }, storage),
    );
    await post("auth.php", { failed: "No" });
    const path = "/hives/web.git/info/refs?service=git-upload-pack";
    const { status, json } = await request(server, token, "GET", path);
    const message = "Cloning is not possible: git is not installed on the server.";
    expect([status, json]).toEqual([501, { message, code: "not_implemented" }]);
    expect((await run("clone", address())).stderr).toContain(`remote: ${message}`);
  });
});

describe("the environment of git", () => {
  it("is fixed, whatever the server's is and the client sends", async () => {
    const bin = realFolder();
    const real = (await promisify(execFile)("sh", ["-c", "command -v git"])).stdout.trim();
    const fake = join(bin, "git");
    writeFileSync(fake, `#!/bin/sh\n/usr/bin/env > ${bin}/seen\nexec ${real} "$@"\n`, { mode: 0o755 });
    const { server, token } = await setUp((storage) =>
      startServerIn({ PATH: bin, GIT_TRACE: `${bin}/trace`, GIT_CONFIG_COUNT: "x", SECRET: "x" }, storage),
    );
    const seen = async (protocol: string) => {
      const headers = { authorization: `Bearer ${token}`, "git-protocol": protocol };
      const url = `${server.url}/hives/web.git/info/refs?service=git-upload-pack`;
      expect((await fetch(url, { headers })).status).toBe(200);
      const lines = readFileSync(join(bin, "seen"), "utf8").trim().split("\n");
      return lines.filter((line) => !/^(?:PWD|OLDPWD|_|SHLVL)=/.test(line)).toSorted();
    };
    const fixed = [
      "GIT_ALLOW_PROTOCOL=none",
      "GIT_CONFIG_GLOBAL=/dev/null",
      "GIT_CONFIG_NOSYSTEM=1",
      "GIT_GRAFT_FILE=/nonexistent",
      "GIT_NO_LAZY_FETCH=1",
      "GIT_NO_REPLACE_OBJECTS=1",
      "GIT_PROTOCOL=version=0",
      "GIT_TERMINAL_PROMPT=0",
      "HOME=/nonexistent",
      "LC_ALL=C",
      `PATH=${bin}`,
    ];
    expect(await seen("version=2; GIT_TRACE=1")).toEqual(fixed);
    expect(await seen("version=1:version=0:GIT_TRACE=1")).toEqual(fixed.with(6, "GIT_PROTOCOL=version=1"));
  });
});

describe("a Hive made before there was a README", () => {
  it("a Hive without a README, or with a changed one, stays as it is, and verify finds no problem", async () => {
    const { run, address, folder, repo, storage, post } = await setUp();
    const push = async (...change: string[]) => {
      await git(join(folder, "web"), ...change);
      await git(join(folder, "web"), "commit", "--quiet", "--all", "--message", "By hand");
      await git(join(folder, "web"), "push", "--quiet", repo, "HEAD:main");
    };
    await run("clone", address(), "web");
    writeFileSync(join(folder, "web/README.md"), "Ours\n");
    await push("add", "README.md");
    await post("auth.php", { failed: "No" });
    expect(await git(repo, "show", "main:README.md")).toBe("Ours\n");
    expect(await run("-C", "web", "pull")).toMatchObject(done);
    await push("rm", "--quiet", "README.md");
    await post("auth.php", { failed: "Nope" });
    expect(await git(repo, "ls-tree", "--name-only", "main")).toBe("hive.yaml\nlocales\n");
    expect(await skepOk(storage, "verify")).toBe("");
  });
});

describe("a server that allows no clones", () => {
  it("a server with cloning turned off refuses clones", async () => {
    const { run, address } = await setUp((storage) => startServer(storage, "--max-clones", "0"));
    expect((await run("clone", address())).stderr).toContain(
      "remote: Too many clones at once; try again soon.",
    );
  });
});

it("clones that nobody reads take no more memory of the server than they were sent", async () => {
  const bytes = 100_000_000;
  const [storage, token] = await copyStorage(undefined);
  const server = await startServer(storage);
  const repo = join(storage, "hives", "web.git");
  await addLargeFile(repo, bytes);
  const cloneAll = async (): Promise<void> => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": uploadPackType,
      "git-protocol": "version=2",
    };
    const body = await wantMain(repo);
    const { body: answer } = await fetch(server.url + uploadPackPath, { method: "POST", headers, body });
    let received = 0;
    for await (const chunk of answer ?? []) received += chunk.length;
    expect(received).toBeGreaterThan(bytes);
  };
  await cloneAll();
  const before = residentBytes(server.child.pid);
  for (let i = 0; i < 3; i++) await stalledClone(server.url, token, repo);
  // The server would have taken all from git meanwhile, of clones that began earlier.
  await cloneAll();
  const isUploadPack = (pid: number): boolean =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("upload-pack");
  await eventually(() => expect(workersIn(repo).filter(isUploadPack)).toHaveLength(3));
  expect(residentBytes(server.child.pid) - before).toBeLessThan((3 * bytes) / 2);
});

function residentBytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

describe("the history", () => {
  it("reads as a changelog: subject with counts, the caller's message, and trailers", async () => {
    const { server, token, repo, storage, post } = await setUp();
    await post("auth.php", { failed: "No", home: "Home" });
    const headers = { "x-commit-message": "Release 2", "x-commit-ref": "app@0123abc" };
    const files = { "auth.php": { failed: "Nope" } };
    await request(server, token, "PUT", "/api/hives/web/strings", { files }, headers);
    await skepOk(storage, "locale", "add", "web", "pt-BR=pt_BR");
    await skepOk(storage, "locale", "set", "web", "fr=fr_FR");
    expect((await git(repo, "log", "--format=%s", "main")).trim().split("\n")).toEqual([
      "Set the custom code of locale fr to fr_FR",
      "Add locale pt-BR=pt_BR",
      "Sync source strings: 1 updated, 1 deleted",
      "Import source strings: 2 created",
      "Create Hive web with the locales en, fr",
    ]);
    expect(await git(repo, "log", "-1", "--format=", "--name-only", "main")).toBe("hive.yaml\n");
    const message = join(realFolder(), "message");
    writeFileSync(message, await git(repo, "log", "-1", "--format=%B", "main~2"));
    expect(readFileSync(message, "utf8")).toMatch(
      /^Sync source strings: 1 updated, 1 deleted\n\nRelease 2\n\nOperation: sync\n/,
    );
    expect((await git(repo, "interpret-trailers", "--parse", message)).trim().split("\n")).toEqual([
      "Operation: sync",
      expect.stringMatching(/^Token: /),
      "Strategy: keep",
      "Created: 0",
      "Updated: 1",
      "Unchanged: 0",
      "Translations-Cleared: 0",
      "Deleted: 1",
      "Ref: app@0123abc",
    ]);
    for (const date of (await git(repo, "log", "--format=%ad", "--date=raw", "main")).trim().split("\n"))
      expect(date).toMatch(/^[0-9]+ \+0000$/);
  });
});
