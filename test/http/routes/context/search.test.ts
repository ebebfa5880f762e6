/** Searching strings, and one string in all locales, over HTTP. */
import { beforeEach, describe, expect, it } from "vitest";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { type Call, setUpWeb } from "../../../helpers/storage.ts";

const hive = "/api/hives/web";
let call: Call;
const { put, fill, post } = hiveAt(() => call);

beforeEach(async () => {
  ({ call } = await setUpWeb({ locales: ["fr", "pt-BR=pt_BR"] }));
  await put(
    {
      "a.php": { x: "Wrong password.", y: "Log out" },
      "b.json": { n_one: "A file", n_other: "Files" },
    },
    { body: { notes: { "a.php": { x: { note: "Shown above the form." } } } } },
  );
  await fill("pt_BR", { "a.php": { x: "Senha {errada}.", y: "Sair" } });
});

async function keys(query: string): Promise<string[]> {
  const { status, json } = await call("GET", `${hive}/search?${query}`);
  expect(status).toBe(200);
  expect(json.meta.total).toBe(json.data.length);
  return json.data.map(({ key }: Record<string, string>) => key);
}

/** Each read that shows the translations of a string, given its file and key. */
const shows = {
  string: async (file: string, key: string) =>
    (await call("GET", `${hive}/string?file=${file}&key=${key}`)).json.translations,
  search: async (file: string, key: string) =>
    (await call("GET", `${hive}/search?file=${file}&text=${key}&locale=pt_BR`)).json.data.find(
      (found: Record<string, string>) => found["key"] === key,
    ).translations,
};

describe.each(Object.entries(shows))("what %s returns of a string", (_, show) => {
  const inPortuguese = async (file: string, key: string) =>
    (await show(file, key)).find((one: Record<string, string>) => one["locale"] === "pt_BR");

  it("has all its plural forms, whichever of them is asked for", async () => {
    await fill("pt_BR", { "b.json": { n_one: "Ficheiro" } });
    await post({ "b.json": { n_one: "One file" } });
    for (const key of ["n_one", "n_other"])
      expect(await inPortuguese("b.json", key)).toMatchObject({
        forms: [
          {
            form: "one",
            key: "n_one",
            source: "One file",
            example: 1,
            translation: "Ficheiro",
            former_source: "A file",
          },
          {
            form: "other",
            key: "n_other",
            source: "Files",
            translation: null,
            former_source: null,
          },
        ],
        expected: {
          source: { one: "One file", other: "Files" },
          translation: { one: "Ficheiro", other: null },
        },
      });
  });

  it("has no former source of a text that is not to be translated", async () => {
    await fill("pt_BR", { "b.json": { n_one: "Ficheiro" } });
    await post({ "b.json": { n_one: "One file" } });
    await call("PATCH", `${hive}/notes`, { body: { files: { "b.json": { n_other: { keep: true } } } } });
    expect(await inPortuguese("b.json", "n_one")).toMatchObject({
      state: "translated",
      forms: [{ key: "n_one", former_source: null }, { key: "n_other" }],
    });
  });

  it.each([
    ["a.php", "x", "x", { other: "Senha errada." }],
    ["b.json", "n_one", "n_other", { one: "Um ficheiro", other: "Ficheiros" }],
  ])("is enough to answer %s %s without a claim, once", async (file, key, item, forms) => {
    const { expected } = await inPortuguese(file, key);
    const answer = async (texts: object) =>
      (
        await call("POST", `${hive}/work/done`, {
          body: { locale: "pt_BR", items: [{ file, key: item, forms: texts, expected }] },
        })
      ).json.items[0].status;
    expect(await answer(forms)).toBe("saved");
    expect((await inPortuguese(file, key)).expected.translation).toEqual(forms);
    expect(await answer({ ...forms, other: "Outro texto." })).toBe("conflict");
  });
});

describe("GET /search", () => {
  it("finds by key, by source text, by translation and by state", async () => {
    expect(await keys("text=PASSWORD")).toEqual(["x"]);
    expect(await keys("text=sair")).toEqual([]);
    expect(await keys("text=sair&locale=pt_BR")).toEqual(["y"]);
    expect(await keys("text=sair&locale=*")).toEqual(["y"]);
    expect(await keys("state=missing&locale=pt-BR&file=b.json")).toEqual(["n_one", "n_other"]);
  });

  it("shows translations with their states, by the codes of the Hive", async () => {
    await post({ "a.php": { y: "Sign out" } });
    const { json } = await call("GET", `${hive}/search?text=out&locale=pt_BR`);
    expect(json.data).toEqual([
      {
        file: "a.php",
        key: "y",
        source_value: "Sign out",
        notes: null,
        translations: [
          {
            locale: "pt_BR",
            text: "Sair",
            state: "stale",
            old_source_value: "Log out",
            waiting: false,
            findings: [],
            forms: [],
            expected: { source: { other: "Sign out" }, translation: { other: "Sair" } },
          },
        ],
      },
    ]);
  });

  it("refuses an unknown locale, state or parameter", async () => {
    for (const query of ["locale=xx", "state=done", "q=x", `text=${"x".repeat(1_001)}`])
      expect((await call("GET", `${hive}/search?${query}`)).status).toBe(422);
  });
});

describe("GET /string", () => {
  it("shows one string in all locales, with its notes, forms and neighbours", async () => {
    const { json } = await call("GET", `${hive}/string?file=a.php&key=x`);
    expect(json).toMatchObject({
      source_value: "Wrong password.",
      notes: { app: { note: "Shown above the form." } },
      forms: [],
      previous: null,
      next: { file: "a.php", key: "y" },
    });
    expect(json.translations.map(({ locale, text }: Record<string, unknown>) => [locale, text])).toEqual([
      ["fr", null],
      ["pt_BR", "Senha {errada}."],
    ]);
    const plural = (await call("GET", `${hive}/string?file=b.json&key=n_other`)).json;
    expect(plural.forms).toContainEqual({ form: "one", key: "n_one" });
  });

  it("answers 404 for a string that is not there, and follows commits", async () => {
    expect((await call("GET", `${hive}/string?file=a.php&key=z`)).status).toBe(404);
    expect((await call("GET", `${hive}/string?file=a.php`)).status).toBe(422);
    const french = async () =>
      (await call("GET", `${hive}/string?file=a.php&key=x`)).json.translations[0].text;
    expect(await french()).toBeNull();
    await fill("fr", { "a.php": { x: "Faux." } });
    expect(await french()).toBe("Faux.");
  });
});
