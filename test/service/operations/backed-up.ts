/** What the tests of backups write into a storage, and compare of it. */
import { expect } from "vitest";
import { listMirrors } from "../../../src/service/admin/mirrors.ts";
import { listTokens } from "../../../src/service/admin/tokens.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { harness } from "../../helpers/storage.ts";

/** Writes a string and its translation into a Hive. */
export async function write(storage: Storage, token: string, slug: string, key: string): Promise<void> {
  const { call } = harness(storage, token);
  const files = { "a.php": { [key]: `text of ${key}` } };
  expect((await call("POST", `/api/hives/${slug}/strings`, { body: { files } })).status).toBe(200);
  expect((await call("POST", `/api/hives/${slug}/translations/fr`, { body: { files } })).status).toBe(200);
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
