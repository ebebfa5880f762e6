/** The page about personal data: what it says of where they are, and of how they are erased, with a real storage. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hashToken } from "../../src/service/access.ts";
import { openLocalStorage, type Storage } from "../../src/service/storage.ts";
import { makePersonalToken, signInAs } from "../helpers/people/people.ts";
import { toPersonId } from "../../src/domain/names.ts";
import { acmeStorage, git, request, serveStorage, skepOk, tryGit } from "../helpers/process.ts";
import { skepProgram } from "../helpers/skep-program.ts";
import { realFolder } from "../helpers/storage.ts";
import { bash, shell, type Ran } from "./shell.ts";

const [show = "", remove = "", rewrite = "", forget = ""] = shell("docs/privacy.md");
const hasFilterRepo = spawnSync("git", ["filter-repo", "--version"]).status === 0;
const isRequired = process.env.SKEP_TEST_DEPLOY === "required";

/** A storage in which Anna has done whatever leaves a trace of her. */
async function worked(): Promise<{
  readonly storage: string;
  readonly run: (script: string) => Promise<Ran>;
}> {
  const storage = await acmeStorage();
  await skepOk(storage, "locale", "edit", "web", "fr", "--review", "all");
  await skepOk(
    storage,
    "person",
    "create",
    "anna",
    "--team",
    "acme",
    "--name",
    "Anna Bauer",
    "--role",
    "lead",
  );
  await skepOk(storage, "person", "edit", "anna", "--mail", "anna@example.net");
  const open = openLocalStorage(storage);
  const token = await makePersonalToken(open);
  const person = await open.registry.person(toPersonId("anna"));
  if (person !== undefined) await signInAs(open, person);
  const server = await serveStorage(open);
  const send = async (method: string, path: string, body?: unknown): Promise<void> => {
    const { status, json } = await request(server, token, method, `/api/hives/web/${path}`, body);
    expect(status, JSON.stringify(json)).toBeLessThan(300);
  };
  await send("POST", "strings", { files: { "a.json": { hello: "Hello", bye: "Bye" } } });
  await send("POST", "translations/fr", { files: { "a.json": { hello: "Bonjour" } } });
  await send("POST", "comments", { file: "a.json", key: "hello", text: "A button?", ask: true });
  await send("PATCH", "notes", { files: { "a.json": { bye: { note: "At the door" } } } });
  await skepOk(storage, "engine", "create", "gpt", "--team", "acme", "--type", "openai", "--model", "m");
  await send("POST", "translate", { locales: ["fr"] });
  await leaveCodes(open);
  await send("POST", "work", { locale: "fr", want: ["missing"] });
  for (const name of ["feature", "gone"]) await send("POST", "branches", { name });
  await send("POST", "translations/fr?branch=gone", { files: { "a.json": { bye: "Salut" } } });
  await send("DELETE", "branches/gone");
  await send("POST", "tags", { name: "v1" });
  await pushAsAnna(`${server.url.replace("//", `//x:${token}@`)}/hives/web.git`);
  const env = { PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`, SKEP_STORAGE: storage };
  return { storage, run: (script) => bash(script, realFolder(), env) };
}

/** Leaves what programs wait with that Anna has allowed. */
async function leaveCodes(storage: Storage): Promise<void> {
  const person = toPersonId("anna");
  const hash = hashToken("code");
  await storage.deviceCodes.update(() => [
    {
      device: hash,
      user: "BCDFGHJK",
      place: "192.0.2.1",
      name: "Laptop",
      ends: storage.now() + 60_000,
      person,
    },
  ]);
  await storage.authorizationCodes.update(() => [
    {
      code: hash,
      person,
      name: "Editor",
      client: hash,
      redirect: "http://127.0.0.1/",
      challenge: "c",
      abilities: ["read"],
      ends: storage.now() + 30_000,
    },
  ]);
}

/** Pushes a commit, whose author and committer are those of Anna's own git. */
async function pushAsAnna(url: string): Promise<void> {
  const folder = realFolder();
  await git(folder, "clone", "--quiet", url, ".");
  const own = ["Anna Bauer", "anna@example.net"] as const;
  const env = { ...gitIdentity("AUTHOR", ...own), ...gitIdentity("COMMITTER", ...own) };
  const commit = ["commit", "--quiet", "--allow-empty", "--message", "By hand"];
  for (const args of [commit, ["push", "--quiet", "origin", "HEAD:by-hand"]])
    expect(await tryGit(folder, args, env)).toMatchObject({ code: 0 });
}

function gitIdentity(of: "AUTHOR" | "COMMITTER", name: string, mail: string): Record<string, string> {
  return { [`GIT_${of}_NAME`]: name, [`GIT_${of}_EMAIL`]: mail };
}

/** The files that name Anna, but those of git, and locks, which leave while this looks. */
function filesWithAnna(storage: string): readonly string[] {
  return readdirSync(storage, { recursive: true, encoding: "utf8" })
    .filter((name) => !/^(?:hives|locks)\//.test(name) && statSync(join(storage, name)).isFile())
    .filter((name) => /anna/i.test(name + readFileSync(join(storage, name), "utf8")))
    .toSorted();
}

/** How many objects of the Hive name her. */
async function objectsWithAnna(storage: string): Promise<number> {
  const all = await git(join(storage, "hives/web.git"), "cat-file", "--batch-all-objects", "--batch");
  return all.match(/anna/gi)?.length ?? 0;
}

it("what is kept about a person is where the page says, and the commands show it", async () => {
  const { storage, run } = await worked();
  const [token = ""] = readdirSync(join(storage, "tokens"));
  const [day = ""] = readdirSync(join(storage, "audit"));
  expect(filesWithAnna(storage)).toEqual(
    [
      `audit/${day}`,
      "authorization-codes.json",
      "claims/web.json",
      "device-codes.json",
      "engine-jobs/acme.json",
      "people/anna.yaml",
      "sessions/anna.yaml",
      `tokens/${token}`,
    ].toSorted(),
  );
  const { code, stdout } = await run(show);
  expect(code).toBe(0);
  for (const shown of [
    "anna@example.net",
    '"person_added"',
    "Ask about a.json: hello",
    "By hand",
    "\nAnna Bauer <anna@example.net>\n",
  ])
    expect(stdout).toContain(shown);
});

it("a person who was renamed and removed leaves an id, the audit log, and the name in commits", async () => {
  const { storage, run } = await worked();
  expect(await run(remove)).toMatchObject({ code: 0 });
  const [day = ""] = readdirSync(join(storage, "audit"));
  expect(filesWithAnna(storage)).toEqual(
    [
      `audit/${day}`,
      "authorization-codes.json",
      "claims/web.json",
      "device-codes.json",
      "engine-jobs/acme.json",
      "people/anna.yaml",
    ].toSorted(),
  );
  expect(readFileSync(join(storage, "people/anna.yaml"), "utf8")).toMatch(
    /^format: \d+\nteam: acme\nname: Former member\nabilities: \[\]\nhives: \[\]\ndisabled: true\npasskeys: \[\]\ncreated: .*\nremoved: .*\n$/,
  );
  const commits = await git(join(storage, "hives/web.git"), "log", "--format=%an <%ae>", "main");
  expect(commits).toContain("Anna Bauer <anna@people.skep.invalid>");
});

it.skipIf(!hasFilterRepo && !isRequired)("all of the page's commands together leave nothing", async () => {
  const { storage, run } = await worked();
  expect(await objectsWithAnna(storage)).toBeGreaterThan(0);
  for (const block of [remove, rewrite, forget]) expect(await run(block)).toMatchObject({ code: 0 });
  expect(filesWithAnna(storage)).toEqual([]);
  expect(await objectsWithAnna(storage)).toBe(0);
  // The texts are what they were, also under the tag, and so is what waits for a review.
  const hive = join(storage, "hives/web.git");
  expect(await git(hive, "show", "v1:locales/fr/a.json.json")).toContain("Bonjour");
  expect(await git(hive, "show", "v1:review/fr/a.json.json")).toContain('"by": "gone"');
});
