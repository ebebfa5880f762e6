/** Kinds of values that are declared here alone go through clones, pushes and the verification, as the product's own do. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fileNamed } from "../helpers/hive.ts";
import { ownersKind, putValue, useMoreKinds, votesKind } from "../helpers/model/more-kinds.ts";
import { git } from "../helpers/process.ts";
import { setUpPushes } from "../helpers/git/pushes.ts";
import { toHiveSlug } from "../../src/domain/names.ts";
import { verify } from "../../src/service/operations/verify.ts";
import type { Storage } from "../../src/service/storage.ts";

useMoreKinds();

const slug = toHiveSlug("web");
const [vote, owner] = ["votes/fr/app.json.json", "owners/app.json.json"];
const title = { file: fileNamed("app.json"), key: "title" };
const home = { file: fileNamed("app.json"), key: "nav.home" };

async function setUp() {
  const pushed = await setUpPushes();
  await putValue(pushed.storage, slug, votesKind, title, { text: "Bonjour", by: "Ann" });
  for (const at of [title, home]) await putValue(pushed.storage, slug, ownersKind, at, "Bob");
  return pushed;
}

async function problemsIn(storage: Storage, repair = false): Promise<readonly string[]> {
  const problems: string[] = [];
  for await (const { problem } of verify(storage, { repair })) problems.push(problem);
  return problems;
}

it("are in a clone, follow what is pushed, and cannot be pushed", async () => {
  const { storage, clone } = await setUp();
  const { folder, commit, push, git: run } = await clone();
  const read = async (path: string): Promise<unknown> => {
    await run("pull", "--quiet", "--no-rebase");
    const at = join(folder, path);
    return existsSync(at) ? JSON.parse(readFileSync(at, "utf8")) : undefined;
  };
  expect(await read(vote)).toEqual({ title: ["Bonjour", "Ann"] });
  expect(await read(owner)).toEqual({ title: "Bob", "nav.home": "Bob" });

  const renamed = { headline: "Hello", nav: { home: "Home", back: "Back" } };
  await commit({ "locales/en/app.json.json": renamed, "locales/fr/app.json.json": { headline: "Bonjour" } });
  expect((await push()).stderr).toContain("1 moved");
  expect(await read(vote)).toEqual({ headline: ["Bonjour", "Ann"] });
  expect(await read(owner)).toEqual({ headline: "Bob", "nav.home": "Bob" });

  await commit({ "locales/fr/app.json.json": { headline: "Salut" } });
  expect((await push()).code).toBe(0);
  expect(await read(vote)).toBeUndefined();
  await commit({ "locales/en/app.json.json": { headline: "Hello", nav: { back: "Back" } } });
  expect((await push()).code).toBe(0);
  expect(await read(owner)).toEqual({ headline: "Bob" });
  expect(await problemsIn(storage)).toEqual([]);

  for (const path of [vote, owner]) {
    await commit({ [path]: { headline: "x" } });
    const { code, stderr } = await push();
    expect(code).toBe(1);
    expect(stderr).toContain(`${path.slice(0, path.indexOf("/"))}: cannot be changed by a push`);
    await run("reset", "--quiet", "--hard", "origin/main");
  }
});

it("are found and removed by the verification where they mean nothing", async () => {
  const { storage, repo, clone } = await setUp();
  const { commit, git: run } = await clone();
  await commit({
    [vote]: { title: ["Bonjour", "Ann"], gone: ["x", "Ann"] },
    [owner]: { title: "Bob", gone: "Ann", "nav.home": "Bob" },
  });
  await git(
    repo,
    "fetch",
    "--quiet",
    (await run("rev-parse", "--show-toplevel")).trim(),
    "+HEAD:refs/heads/main",
  );
  const problems = [`${vote} holds 1 vote for another text`, `${owner} holds 1 owner of no string`];
  expect(await problemsIn(storage)).toEqual(problems.map((one) => expect.stringContaining(one)));
  await problemsIn(storage, true);
  expect(await problemsIn(storage)).toEqual([]);
  expect(JSON.parse(await git(repo, "show", `main:${owner}`))).toEqual({ title: "Bob", "nav.home": "Bob" });
});
