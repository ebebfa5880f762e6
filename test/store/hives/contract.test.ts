/** What the store promises, on every disk it runs on. */
import fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { isFailure } from "../../../src/domain/errors.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toHiveSlug, toTeamName, toTokenId } from "../../../src/domain/names.ts";
import { type HiveGrant, hiveWriteContext } from "../../../src/service/access.ts";
import { deleteHive, describeHive } from "../../../src/service/admin/hives.ts";
import { importSource, importTranslations } from "../../../src/service/content/imports.ts";
import { addLocales, removeFile, removeLocale, changeLocale } from "../../../src/service/admin/locales.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import { createToken, listTokens, revokeToken } from "../../helpers/people/tokens.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { memfsDisk } from "../../disk/memfs-disk.ts";
import { makeHive, memoryFolder, byCommand, realFolder } from "../../helpers/storage.ts";
import { toTranslationFiles } from "../../../src/domain/strings/payload.ts";
import { sourceFiles } from "../../helpers/hive.ts";

const web = toHiveSlug("web");
let caller: HiveGrant;

function importFiles(
  storage: Storage,
  files: Readonly<Record<string, unknown>>,
  mode: "import" | "sync" = "import",
  hive = caller,
) {
  const request = { files: sourceFiles(files), mode, conflictStrategy: "keep" as const };
  return importSource(storage, hive.slug, request, hiveWriteContext(storage, hive));
}

async function translate(storage: Storage, locale: string, sent: unknown) {
  const files = await toTranslationFiles(sent);
  const request = { locale, files, overwriteStrategy: "overwrite" as const };
  return importTranslations(storage, web, request, hiveWriteContext(storage, caller));
}

describe.each<[string, () => { disk: Disk; folder: string }]>([
  ["memory", () => ({ disk: memfsDisk(), folder: memoryFolder() })],
  ["the real disk", () => ({ disk: fs, folder: realFolder() })],
])("a storage on %s", (_, make) => {
  let place: { disk: Disk; folder: string };
  let storage: Storage;

  beforeEach(async () => {
    place = make();
    storage = openStorage(place);
    await makeHive(storage, "web", { locales: ["fr", "de"] });
    const { id } = await createToken(storage, { team: toTeamName("acme"), abilities: ["write"], hives: [] });
    caller = {
      slug: web,
      team: toTeamName("acme"),
      author: byCommand.metadata.author,
      token: id,
      ability: "write",
    };
  });

  /** The storage as another process, or this one after a restart, sees it. */
  const reopened = (): Storage => openStorage(place);

  async function contentOf(opened: Storage, slug = web) {
    const snapshot = await opened.hives.at(slug).snapshot();
    const { source, translations } = await snapshot.content("all");
    return {
      source: Array.from(source, ([file, { group }]) => [file, JSON.stringify(group)]),
      translations: Array.from(translations, ([code, files]) => [
        code,
        Array.from(files, ([file, texts]) => [file, Object.fromEntries(texts)]),
      ]),
    };
  }

  it("a storage keeps what was imported, the same in memory and after a restart", async () => {
    await importFiles(storage, {
      "b.php": { z: "1", "7": "2", n: { m: ["x"] }, e: [] },
      "a/b.json": { "k.l": "3" },
    });
    await translate(storage, "fr", { "b.php": { n: { m: ["y"] } } });
    const content = await contentOf(storage);
    expect(content).toEqual({
      source: [
        ["a/b.json", '{"k.l":"3"}'],
        ["b.php", '{"7":"2","z":"1","n":{"m":["x"]},"e":[]}'],
      ],
      translations: [
        ["fr", [["b.php", { "n.m.0": "y" }]]],
        ["de", []],
      ],
    });
    expect(await contentOf(reopened())).toEqual(content);
  });

  it("a storage makes one commit for a change and none for no change", async () => {
    const commit = async () => (await storage.hives.at(web).snapshot()).commit;
    const before = await commit();
    await importFiles(storage, { "a.php": { a: "x" } });
    const after = await commit();
    expect(after.parents).toEqual([before.oid]);
    await importFiles(storage, { "a.php": { a: "x" } });
    await importFiles(storage, { "a.php": { a: "x" } }, "sync");
    await translate(storage, "fr", { "a.php": { a: "", nope: "x" } });
    expect((await commit()).oid).toBe(after.oid);
  });

  it("a storage shows a change of another process at the next read", async () => {
    await storage.hives.at(web).snapshot();
    const other = reopened();
    await importFiles(other, { "a.php": { a: "x" } });
    expect((await contentOf(storage)).source).toEqual([["a.php", '{"a":"x"}']]);
    await importFiles(storage, { "a.php": { b: "y" } });
    expect((await contentOf(other)).source).toEqual([["a.php", '{"a":"x","b":"y"}']]);
    await addLocales(other, web, [toLocale("it=it_IT")], byCommand);
    expect((await storage.hives.at(web).snapshot()).settings.targetLocales.map(({ code }) => code)).toEqual([
      "fr",
      "de",
      "it",
    ]);
  });

  it("a storage shows settings that another process changed at the next read", async () => {
    const other = reopened();
    const { token, id } = await createToken(other, { team: caller.team, abilities: [], hives: [] });
    expect(token).toMatch(/^skep_[0-9a-z]{12}_[0-9A-Za-z]{32}$/);
    expect(await storage.registry.token(id)).toMatchObject({ abilities: ["read"], hives: "all" });
    await revokeToken(other, id);
    expect(await storage.registry.token(id)).toBeUndefined();
    await updateTeam(other, caller.team, { maxStrings: 3 });
    expect((await storage.registry.team(caller.team))?.maxStrings).toBe(3);
  });

  it("a storage runs changes of one Hive one after the other, however many come at once", async () => {
    const other = reopened();
    const files = (i: number) => ({ "a.php": { [`key${i}`]: "x" } });
    const opened = [storage, other];
    await Promise.all(Array.from({ length: 24 }, (__, i) => importFiles(opened[i % 2] ?? storage, files(i))));
    const snapshot = await reopened().hives.at(web).snapshot();
    expect(snapshot.index.stringCount).toBe(24);
  });

  it("a storage holds a team's quota over its Hives", async () => {
    await makeHive(storage, "app");
    const app = { ...caller, slug: toHiveSlug("app") };
    await updateTeam(storage, caller.team, { maxStrings: 3 });
    await importFiles(storage, { "a.php": { a: "x", b: "y" } });
    await importFiles(storage, { "a.php": { c: "x" } }, "import", app);
    await expect(importFiles(storage, { "a.php": { d: "x" } })).rejects.toSatisfy((error) =>
      isFailure(error, "quota"),
    );
    await importFiles(storage, { "a.php": { a: "changed" } });
    await importFiles(storage, { "a.php": { a: "x" } }, "sync");
    await importFiles(storage, { "a.php": { d: "x" } }, "import", app);
    await updateTeam(storage, caller.team, { maxStrings: 1 });
    await importFiles(storage, { "a.php": { a: "x" } }, "sync", app);
  });

  it("a storage lets concurrent imports into two Hives never pass the quota together", async () => {
    await makeHive(storage, "app");
    const app = { ...caller, slug: toHiveSlug("app") };
    await updateTeam(storage, caller.team, { maxStrings: 10 });
    const other = reopened();
    const results = await Promise.allSettled(
      Array.from({ length: 16 }, (__, i) =>
        importFiles(
          i % 2 === 0 ? storage : other,
          { "a.php": { [`k${i}`]: "x" } },
          "import",
          i % 4 < 2 ? caller : app,
        ),
      ),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
  });

  it("a storage adds, changes and removes locales as commits", async () => {
    await importFiles(storage, { "a.php": { a: "x", b: "y" } });
    await translate(storage, "fr", { "a.php": { a: "A" } });
    await changeLocale(storage, web, "fr", { customCode: toLocale("fr=fr_FR").customCode }, byCommand);
    const preview = await removeLocale(storage, web, "fr_FR", { ...byCommand, dryRun: true });
    expect(preview.result).toEqual({ strings: 0, translations: 1 });
    expect((await contentOf(reopened())).translations).toHaveLength(2);
    await removeLocale(storage, web, "fr_FR", byCommand);
    expect((await contentOf(reopened())).translations).toEqual([["de", []]]);
    await expect(removeLocale(storage, web, "en", byCommand)).rejects.toThrow("source locale");
    await addLocales(storage, web, [toLocale("fr")], byCommand);
    expect((await contentOf(reopened())).translations).toContainEqual(["fr", []]);
  });

  it("a storage removes a file with its translations", async () => {
    await importFiles(storage, { "a.php": { a: "x" }, "b.php": { b: "y" } });
    await translate(storage, "fr", { "a.php": { a: "A" } });
    const { result } = await removeFile(storage, web, "a.php", { ...byCommand, dryRun: true });
    expect(result).toEqual({ strings: 1, translations: 1 });
    await removeFile(storage, web, "a.php", byCommand);
    expect(await contentOf(reopened())).toEqual({
      source: [["b.php", '{"b":"y"}']],
      translations: [
        ["fr", []],
        ["de", []],
      ],
    });
    await expect(removeFile(storage, web, "a.php", byCommand)).rejects.toThrow('no file "a.php"');
  });

  it("a storage deletes a Hive, and gives its slug to another without giving old tokens reach", async () => {
    const { id } = await createToken(storage, { team: caller.team, abilities: ["read"], hives: [web] });
    await deleteHive(storage, web);
    expect((await storage.registry.teams()).flatMap(({ hives }) => hives)).toEqual([]);
    expect((await listTokens(storage)).find((token) => token.id === id)?.hives).toEqual([]);
    await expect(storage.hives.at(web).snapshot()).rejects.toSatisfy((error) =>
      isFailure(error, "not-found"),
    );
    await makeHive(storage, "web", { team: "other", locales: [] });
    expect((await reopened().registry.teamOfHive(web)).name).toBe("other");
    expect(await describeHive(reopened(), web)).toMatchObject({ strings: 0 });
    expect((await listTokens(storage)).find((token) => token.id === id)?.hives).toEqual([]);
  });

  it("a storage refuses a slug that any team has, and accepts one that only an orphaned repository has", async () => {
    await expect(makeHive(storage, "web", { team: "other" })).rejects.toSatisfy((error) =>
      isFailure(error, "conflict"),
    );
    await place.disk.promises.mkdir(join(place.folder, "hives", "left.git"));
    await place.disk.promises.mkdir(join(place.folder, "hives", "left.git", "objects"));
    await makeHive(storage, "left");
    expect((await reopened().hives.at(toHiveSlug("left")).snapshot()).index.stringCount).toBe(0);
  });

  it("a storage plans a dry run while others hold the locks, and writes nothing", async () => {
    await importFiles(storage, { "a.php": { a: "x" } });
    const { commit } = await storage.hives.at(web).snapshot();
    const plan = () => removeFile(reopened(), web, "a.php", { ...byCommand, dryRun: true });
    const { result } = await storage.lockTeam(caller.team, () => storage.hives.lock(web, plan));
    expect(result).toEqual({ strings: 1, translations: 0 });
    expect((await storage.hives.at(web).snapshot()).commit.oid).toBe(commit.oid);
  });

  it("a storage authorises the caller again under the lock", async () => {
    await revokeToken(storage, toTokenId(caller.token ?? ""));
    await expect(importFiles(storage, { "a.php": { a: "x" } })).rejects.toSatisfy((error) =>
      isFailure(error, "unauthenticated"),
    );
    await expect(translate(storage, "fr", {})).rejects.toSatisfy((error) =>
      isFailure(error, "unauthenticated"),
    );
  });

  it("a storage lets nobody write into a Hive that went to another team after they were authorised", async () => {
    await deleteHive(storage, web);
    await makeHive(storage, "web", { team: "rival" });
    await expect(importFiles(storage, { "a.php": { a: "x" } })).rejects.toSatisfy((error) =>
      isFailure(error, "forbidden"),
    );
    await expect(translate(storage, "fr", {})).rejects.toSatisfy((error) => isFailure(error, "forbidden"));
  });

  it("a storage refuses tokens for Hives that the team does not have", async () => {
    await expect(
      createToken(storage, { team: caller.team, abilities: [], hives: [toHiveSlug("nope")] }),
    ).rejects.toThrow('the team acme has no Hive "nope"');
    await expect(revokeToken(storage, toTokenId("nope"))).rejects.toSatisfy((error) =>
      isFailure(error, "not-found"),
    );
  });
});
