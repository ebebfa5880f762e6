/** Commands about Hives as a whole, by the server and by git. */
import fc from "fast-check";
import { expect } from "vitest";
import { isFailure } from "../../../../src/domain/errors.ts";
import { pluralModes } from "../../../../src/domain/hives/hive-settings.ts";
import { toLocale } from "../../../../src/domain/hives/locale.ts";
import { toHiveSlug, toTeamName } from "../../../../src/domain/names.ts";
import { deleteHive, updateHive } from "../../../../src/service/admin/hives.ts";
import { addLocales, removeFile, removeLocale, changeLocale } from "../../../../src/service/admin/locales.ts";
import { updateTeam } from "../../../../src/service/admin/teams.ts";
import { verify } from "../../../../src/service/operations/verify.ts";
import { BareRepo } from "../../../../src/git/bare-repo.ts";
import { DurableFs } from "../../../../src/disk/durable-fs.ts";
import { toCommit, toGitObject } from "../../../../src/git/objects/git-object.ts";
import { changeTree } from "../../../../src/git/objects/tree.ts";
import * as branching from "../branches.ts";
import * as model from "../model.ts";
import { dropLost } from "../lost.ts";
import { addHive, branch, command, expectSame, initialLocales, toHiveBranch } from "../real.ts";
import { byCommand } from "../../storage.ts";
import { locale, slug, target } from "./arbitraries.ts";

/** Runs a service operation; a Hive that is not there is the only thing that may stop it. */
async function unlessMissing(operation: Promise<unknown>): Promise<void> {
  await operation.catch((error: unknown) => {
    if (!isFailure(error, "not-found")) throw error;
  });
}

export const locales = fc.tuple(slug, locale).map(([hive, code]) =>
  command(`add or remove locale ${hive} ${code}`, async (m, real) => {
    // What a branch has of a locale that comes and goes is not in the model.
    if (branching.withBranches(m, hive).length > 1) return;
    const there = m.hives.get(hive)?.translations.has(code) ?? false;
    const storage = await real.storage();
    if (there) {
      const left = m.hives.get(hive);
      left?.translations.delete(code);
      left?.glossary.styles.delete(code);
      if (left !== undefined) dropLost(left);
      await removeLocale(storage, toHiveSlug(hive), code, byCommand);
    } else {
      m.hives.get(hive)?.translations.set(code, new Map());
      await unlessMissing(addLocales(storage, toHiveSlug(hive), [toLocale(code)], byCommand));
    }
  }),
);

export const customCode = fc.tuple(slug, fc.boolean()).map(([hive, on]) =>
  command(`custom code ${hive} ${on}`, async (m, real) => {
    const there = m.hives.get(hive)?.translations.has("de") ?? false;
    const changed = changeLocale(
      await real.storage(),
      toHiveSlug(hive),
      "de",
      { customCode: on ? toLocale("de=de_DE").customCode : null },
      byCommand,
    );
    await (there ? changed : changed.catch(() => {}));
  }),
);

export const fileRemoval = fc.tuple(target, fc.constantFrom("a.php", "en.json")).map(([hive, name]) =>
  command(`remove file ${hive} ${name}`, async (m, real) => {
    m.hives.get(hive)?.files.delete(name);
    for (const by of m.hives.get(hive)?.translations.values() ?? []) by.delete(name);
    const there = m.hives.get(hive);
    if (there !== undefined) dropLost(there);
    await unlessMissing(removeFile(await real.storage(), toHiveBranch(hive), name, byCommand));
  }),
);

export const plurals = fc.tuple(slug, fc.constantFrom(...pluralModes)).map(([hive, mode]) =>
  command(`plurals ${hive} ${mode}`, async (m, real) => {
    for (const one of branching.withBranches(m, hive)) one.plurals = mode;
    await unlessMissing(updateHive(await real.storage(), toHiveSlug(hive), { plurals: mode }, byCommand));
  }),
);

export const quota = fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }).map((max) =>
  command(`quota ${max}`, async (m, real) => {
    m.maxStrings = max;
    await updateTeam(await real.storage(), toTeamName("acme"), { maxStrings: max ?? null });
  }),
);

export const hives = slug.map((hive) =>
  command(`make or delete ${hive}`, async (m, real) => {
    const storage = await real.storage();
    if (m.hives.delete(hive)) {
      for (const branches of [m.hives, m.deleted]) branches.delete(`${hive}@${branch}`);
      await deleteHive(storage, toHiveSlug(hive));
    } else {
      m.hives.set(hive, model.newHive(initialLocales));
      await addHive(storage, hive);
    }
  }),
);

export const branches = fc.constantFrom("create", "delete", "restore").map((what) =>
  command(`${what} a branch of web`, async (m, real) => {
    const path = `web/branches/${branch}`;
    if (what === "create") {
      const reply = await real.call("POST", "web/branches", { name: branch });
      expectSame(reply, branching.createBranch(m, "web", branch));
    } else if (what === "delete") {
      expectSame(await real.call("DELETE", path), branching.deleteBranch(m, "web", branch));
    } else expectSame(await real.call("POST", `${path}/restore`), branching.restoreBranch(m, "web", branch));
  }),
);

export const restart = fc.constant(command("restart", async (_, real) => real.restart()));

/** A commit by somebody with git: an orphan translation, another formatting, a file of no concern to Skep. */
export const outside = fc.tuple(slug, fc.constantFrom("orphan", "format", "other")).map(([hive, what]) =>
  command(`outside ${hive} ${what}`, async (m, real) => {
    if (!m.hives.has(hive) || real.disk === undefined) return;
    const storage = await real.storage();
    const snapshot = await storage.hives.at(toHiveSlug(hive)).snapshot();
    const repo = new BareRepo(new DurableFs(real.disk), storage.hives.folderOf(toHiveSlug(hive)));
    const [first] = (await snapshot.content([])).source;
    const content: [string, string] =
      what === "orphan"
        ? ["locales/de/orphan.php.json", '{"o": "?", "e": ""}']
        : what === "format" && first !== undefined
          ? [`locales/en/${first[0]}.json`, JSON.stringify(first[1].group)]
          : ["notes.txt", String(Math.random())];
    const blob = toGitObject("blob", content[1]);
    const { tree, objects } = changeTree(snapshot.tree, new Map([[content[0], blob.oid]]));
    const author = { name: "Somebody", email: "somebody@example.org" };
    const commit = toCommit({
      tree: tree.oid,
      parents: [snapshot.commit.oid],
      author,
      committer: author,
      time: 1,
      message: "By hand\n",
    });
    await repo.writeObjects([blob, ...objects, commit]);
    await repo.main.update({ expected: snapshot.commit.oid, next: commit.oid, prepare: async () => {} });
  }),
);

export const sound = fc.constant(
  command("verify", async (_, real) => {
    const problems: string[] = [];
    for await (const { problem } of verify(await real.storage(), { repair: false })) problems.push(problem);
    const unexpected = problems.filter(
      (problem) =>
        !/orphan\.php\.json holds . texts? without a source string|is not a locale of|^the team acme holds/.test(
          problem,
        ),
    );
    expect(unexpected).toEqual([]);
  }),
);
