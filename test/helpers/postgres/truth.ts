/** What a database holds, compared with what servers and an export have of it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { HiveSlug } from "../../../src/domain/names.ts";
import { exportFromDatabase } from "../../../src/service/operations/record-transfer.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import { openLocalStorage, type Storage } from "../../../src/service/storage.ts";
import { git } from "../process.ts";
import { realFolder } from "../storage.ts";

/** The settings of a storage's folder, and the refs of the repositories of Hives, which are whole. */
async function contentOf(folder: string, hives: readonly HiveSlug[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of ["teams", "tokens", "people", "channels", "webhooks"]) {
    if (!existsSync(join(folder, name))) continue;
    for (const file of readdirSync(join(folder, name), { withFileTypes: true })) {
      if (file.isFile() && !file.name.includes(".state."))
        found[`${name}/${file.name}`] = readFileSync(join(folder, name, file.name), "utf8");
    }
  }
  for (const slug of hives) {
    const repository = join(folder, "hives", `${slug}.git`);
    found[slug] = await git(repository, "for-each-ref", "--format=%(objectname) %(refname)");
    await git(repository, "rev-list", "--objects", "--all", "--quiet");
  }
  return found;
}

/** The Hives of all teams. */
async function hivesOf({ registry }: Storage): Promise<readonly HiveSlug[]> {
  return (await registry.teams()).flatMap(({ hives }) => hives).toSorted();
}

/** Expects that all servers, and an export that is sound, have the same; gives it. */
export async function expectSameEverywhere(
  url: string,
  storages: readonly Storage[],
): Promise<Record<string, string>> {
  const folder = join(realFolder(), "export");
  await exportFromDatabase({ url }, folder);
  const exported = openLocalStorage(folder);
  const hives = await hivesOf(exported);
  const truth = await contentOf(folder, hives);
  for (const storage of storages) {
    await storage.record.refresh("all");
    for (const slug of hives) await storage.hives.recorded(slug).refresh();
    expect(await contentOf(storage.folder, hives)).toEqual(truth);
  }
  const problems: string[] = [];
  for await (const { problem } of verify(exported, { repair: false })) problems.push(problem);
  // A team may have more than a quota that was lowered.
  expect(problems.filter((problem) => !problem.startsWith("the team "))).toEqual([]);
  return truth;
}
