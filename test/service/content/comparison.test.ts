import { expect, it } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { compareStates, type ComparisonQuery } from "../../../src/service/content/comparison.ts";
import { setUpWeb } from "../../helpers/storage.ts";

it("every page of a comparison is a part of the whole, whose files were compared once", async () => {
  const { storage, call } = await setUpWeb({ locales: ["fr", "pt-BR=pt_BR"] });
  const send = async (path: string, texts: (key: string) => string): Promise<void> => {
    const keys = ["a", "b", "c", "d", "e"];
    const file = Object.fromEntries(keys.map((key) => [key, texts(key)]));
    const body = {
      files: { "x.json": file, "y.json": file, "z.json": file },
      overwrite_strategy: "overwrite",
    };
    expect((await call("POST", `/api/hives/web/${path}`, { body })).status).toBe(200);
  };
  for (const path of ["strings", "translations/fr", "translations/pt_BR"]) await send(path, (key) => key);
  await call("POST", "/api/hives/web/tags", { body: { name: "v1" } });
  await send("translations/fr", (key) => (key > "b" ? `${key} now` : key));
  await send("translations/pt_BR", (key) => (key === "e" ? "now" : key));
  await send("strings", (key) => (key === "c" ? "other" : key));

  const kept = new Map<string, unknown>();
  const made: string[] = [];
  const cache: ComparisonQuery["cache"] = async (name, version, make) => {
    const id = `${name} ${version}`;
    if (!kept.has(id)) {
      made.push(id);
      kept.set(id, await make());
    }
    return JSON.parse(JSON.stringify(kept.get(id)));
  };
  const compare = (page: Pick<ComparisonQuery, "offset" | "limit" | "locale">) =>
    compareStates(storage, toHiveSlug("web"), { from: "v1", to: "main", cache, ...page });

  for (const locale of [undefined, "fr", "pt_BR", "en"]) {
    const whole = await compare({ locale, offset: 0, limit: Infinity });
    expect(whole.entries).toHaveLength(whole.total);
    for (let limit = 1; limit <= 7; limit++)
      for (let offset = 0; offset <= whole.total; offset++) {
        const { entries: changes, total } = await compare({ locale, offset, limit });
        expect([changes, total]).toEqual([whole.entries.slice(offset, offset + limit), whole.total]);
      }
  }
  const { byLocale, entries: changes } = await compare({ offset: 0, limit: Infinity });
  expect(Object.fromEntries(byLocale)).toEqual({ en: 3, fr: 9, pt_BR: 3 });
  expect(changes.map(({ locale, file, key }) => `${locale} ${file} ${key}`).slice(0, 5)).toEqual([
    "en x.json c",
    "en y.json c",
    "en z.json c",
    "fr x.json c",
    "fr x.json d",
  ]);
  expect(made).toHaveLength(1);
});
