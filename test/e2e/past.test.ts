/** Releases, history and their commands, with the real server and real git. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { acmeStorage, createToken, git, request, skep, skepOk, startServer } from "../helpers/process.ts";

it("a release is tagged, exported for ever, and its history tells who changed what", async () => {
  const storage = await acmeStorage({ web: ["--locale", "pt-BR=pt_BR"] });
  const token = await createToken(storage, ["read", "write"], "--name", "CI");
  const server = await startServer(storage);
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    request(server, token, method, `/api/hives/web/${path}`, body, headers);

  await call("PUT", "strings", {
    files: { "auth.php": { failed: "Wrong password.", nav: { home: "Home" } } },
  });
  await call("POST", "translations/pt_BR", { files: { "auth.php": { failed: "Senha\u001b[2J errada." } } });
  const headers = { "x-commit-message": "for 1.2", "x-commit-ref": "abc" };
  expect((await call("POST", "tags", { name: "v1.2" }, headers)).status).toBe(201);
  const files = { "auth.php": { failed: "Wrong pass phrase.", nav: { home: "Home" } } };
  const changed = await call("PUT", "strings", { files, conflict_strategy: "clear" });
  const commit = changed.headers.get("x-skep-commit") ?? "";

  const repo = join(storage, "hives", "web.git");
  expect((await git(repo, "rev-parse", "main")).trim()).toBe(commit);
  expect((await git(repo, "describe", "main")).trim()).toMatch(/^v1\.2-1-g[0-9a-f]+$/);
  expect(await git(repo, "tag", "-n9", "--format=%(taggername) %(contents:subject)")).toBe("CI Tag v1.2\n");
  expect(await git(repo, "fsck", "--strict")).toBe("");
  const released = await call("GET", "export?locale=pt_BR&at=v1.2");
  expect(JSON.parse(released.json.files["auth.json"])).toEqual({ failed: "Senha\u001b[2J errada." });
  expect(await git(repo, "gc", "--quiet")).toBe("");
  expect((await call("GET", "export?locale=pt_BR&at=v1.2")).json).toEqual(released.json);
  expect((await call("GET", `strings?at=${commit}`)).headers.get("cache-control")).toContain("immutable");

  const shown = await skepOk(storage, "show", "web", commit.slice(0, 8));
  expect(shown).toContain("Sync source strings: 1 updated, 1 translation cleared");
  expect(shown).toContain("  failed\n    Wrong [-password-]{+pass phrase+}.\n");
  expect(shown).toContain("pt_BR  auth.php\n  failed (removed)\n    [-Senha\u{fffd}[2J errada.-]");
  expect(shown).not.toContain("\u001b");
  const log = await skepOk(
    storage,
    "log",
    "web",
    "--file",
    "auth.php",
    "--key",
    "failed",
    "--locale",
    "pt_BR",
  );
  expect(log.match(/^commit /gm)?.length).toBe(2);
  const json = JSON.parse(await skepOk(storage, "log", "web", "--json", "--limit", "1"));
  expect(json).toEqual((await call("GET", "history?per_page=1")).json.data);
  const { data } = JSON.parse(await skepOk(storage, "show", "web", "main", "--json"));
  expect(data).toEqual((await call("GET", "history/main")).json.data);
  for (const revision of ["HEAD", (await git(repo, "rev-parse", "main")).trim()]) {
    expect(JSON.parse(await skepOk(storage, "show", "web", revision, "--json")).data).toEqual(data);
  }
  const ended = await skep("show", "web", "HEAD~1", "--storage", storage);
  expect([ended.code, ended.stderr]).toEqual([
    5,
    expect.stringMatching(/^skep: <commit>: "HEAD~1" is not a commit [^\n]*\n$/),
  ]);
  const unknown = await skep("log", "web", "--locale", "xx", "--storage", storage);
  expect([unknown.code, unknown.stdout, unknown.stderr]).toEqual([
    2,
    "",
    'skep: --locale: this Hive has no locale "xx" (it has en, pt_BR)\n',
  ]);
  expect((await skep("log", "nope", "--storage", storage)).stderr).toBe(
    `skep: There is no Hive "nope" in the storage ${storage}.\n`,
  );
  expect((await skep("log", "web", "--since", "now", "--storage", storage)).code).toBe(2);
  expect((await skep("verify", "--storage", storage)).code).toBe(0);
});
