/** What the tests of backups write into a storage, and compare of it. */
import { toHiveSlug } from "../../../src/domain/names.ts";
import { listMirrors } from "../../../src/service/admin/mirrors.ts";
import { listTokens } from "../../helpers/people/tokens.ts";
import { importSource, importTranslations } from "../../../src/service/content/imports.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { sourceFiles } from "../../helpers/hive.ts";
import { byCommand } from "../../helpers/storage.ts";

/** Writes a string and its translation into a Hive. */
export async function write(storage: Storage, slug: string, key: string): Promise<void> {
  const hive = toHiveSlug(slug);
  const files = sourceFiles({ "a.php": { [key]: `text of ${key}` } });
  await importSource(storage, hive, { files, mode: "import", conflictStrategy: "keep" }, byCommand);
  const texts = new Map(Array.from(files, ([file, content]) => [file, content.texts]));
  const request = { locale: "fr", files: texts, overwriteStrategy: "overwrite" } as const;
  await importTranslations(storage, hive, request, byCommand);
}

/** Everything a caller could ask of a storage. */
export async function stateOf(storage: Storage): Promise<unknown> {
  const teams = await storage.registry.teams();
  const hives = teams
    .flatMap((team) => team.hives)
    .map(async (slug) => {
      const snapshot = await storage.hives.at(slug).snapshot();
      const { source, translations } = await snapshot.content("all");
      const revisions = storage.hives.at(slug).revisions;
      return {
        slug,
        commit: snapshot.commit.oid,
        source: Array.from(source, ([file, { texts }]) => [file, [...texts]]),
        translations: Array.from(translations, ([code, files]) => [
          code,
          Array.from(files, ([file, texts]) => [file, [...texts]]),
        ]),
        tags: Array.from(await revisions.listTags(), ([name]) => name),
      };
    });
  const tokens = (await listTokens(storage)).map(({ id, hash }) => [id, hash]);
  const { entries: audit } = await storage.audit.read({ offset: 0, limit: 1000 });
  return { teams, tokens, audit, mirrors: await listMirrors(storage), hives: await Promise.all(hives) };
}
