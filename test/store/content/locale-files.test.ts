import { expect, it } from "vitest";
import { isOid, type Oid } from "../../../src/domain/names.ts";
import { UnreadablePath } from "../../../src/git/bare-repo.ts";
import { LazyLocale, type LocaleFiles } from "../../../src/store/content/locale-files.ts";
import type { Texts } from "../../../src/domain/strings/string-file.ts";

const name = "0123456789012345678901234567890123456789";

function oid(): Oid {
  if (!isOid(name)) throw new Error("no name of an object");
  return name;
}

it("translations that are only checked do not stay in memory, and those that are asked for do", async () => {
  let reads = 0;
  const files: LocaleFiles<Texts> = { oid: oid(), bytes: 1, known: new Map(), files: new Map() };
  const locale = new LazyLocale(oid(), async () => (reads++, files));
  await locale.check();
  expect([locale.loaded, reads]).toEqual([undefined, 1]);
  expect(await locale.load()).toBe(files);
  await locale.check();
  expect([locale.loaded, reads]).toEqual([files, 2]);
  const broken = new LazyLocale(oid(), () => Promise.reject(new UnreadablePath("locales/fr/a.json")));
  await expect(broken.check()).rejects.toThrow("cannot read locales/fr/a.json");
});
