/** ICU messages on the page of work: written by their branches, without a script. */
import { beforeEach, describe, expect, it } from "vitest";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import type { Call } from "../../helpers/storage.ts";
import { prepareBrowser, workFields, type ConsoleBrowser, type Page } from "./browse.ts";

const api = "/api/hives/web";
const desk = "/hives/web/translate/pl";
const source = "In {n, plural, offset:1 =0 {no file} one {# file of {name}} other {# files of {name}}}";

let call: Call;
let browser: ConsoleBrowser;
const { fill, exported } = hiveAt(() => call);

const options = { locales: ["pl"], token: { name: "Ola", abilities: ["admin"] as const } };
const prepared = prepareBrowser(options, async (web) => {
  await web.call("PATCH", api, { body: { checks: { syntax: [{ files: "*", syntax: "icu" }] } } });
  await web.post({ "a.json": { files: source, plain: "Close" } });
});
beforeEach(async () => {
  ({ call, browser } = await prepared());
});

const partsOf = (page: Page): Record<string, string> => {
  const fields = workFields(page);
  const valuesOf = (wanted: string) => fields.flatMap(([name, value]) => (name === wanted ? [value] : []));
  const texts = valuesOf("text");
  return Object.fromEntries(valuesOf("form").map((name, i) => [name, texts[i] ?? ""]));
};

/** Presses a button of the form, with other texts in its fields. */
function press(page: Page, button: readonly [string, string], texts: Readonly<Record<string, string>> = {}) {
  const form = { name: "" };
  const body = new URLSearchParams();
  for (const [name, value] of workFields(page)) {
    if (name === "form") form.name = value;
    body.append(name, name === "text" ? (texts[form.name] ?? value) : value);
  }
  body.append(...button);
  return browser.send(desk, body);
}

const stored = async (): Promise<unknown> =>
  JSON.parse((await exported("locale=pl")).json.files["a.json"] ?? "{}").files;
const open = (): Promise<Page> => browser.get(`${desk}?at=a.json:files`);
const save = ["change", "save"] as const;

describe("an ICU message in a list", () => {
  /** The branches that a page shows, by their names, in each place that has some. */
  const shown = async (path: string) => {
    const { html } = await browser.get(path);
    const lists = html.match(/<dl class="branches">.*?<\/dl>/gs) ?? [];
    return lists.map((list) =>
      Array.from(list.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs), (found) =>
        found.slice(1).map((part) => part.replaceAll(/<[^>]*>/g, "").trim()),
      ),
    );
  };
  const branches = [
    ["In front of it", "In"],
    ["=0", "no file"],
    ["one", "# file of {name}"],
    ["other", "# files of {name}"],
  ];

  it("is shown by its branches, in the source and in a translation, and a plain text as it is", async () => {
    const polish = "{n, plural, one {# plik {name}} few {} many {# plików {name}} other {# pliku {name}}}";
    await fill("pl", { "a.json": { files: polish } });
    const translated = [
      ["one", "# plik {name}"],
      ["few", "empty"],
      ["many", "# plików {name}"],
      ["other", "# pliku {name}"],
    ];
    for (const path of ["strings?locale=pl", "strings?locale=pl&q=file", "selection/pl?q=file"])
      expect([path, await shown(`/hives/web/${path}`)]).toEqual([path, [branches, translated]]);
    expect(await shown("/hives/web/strings/a.json/files")).toEqual([branches, translated]);
    expect(await shown("/hives/web/strings?locale=pl&q=Close")).toEqual([]);
    const marked = await browser.get("/hives/web/strings?locale=pl&q=files");
    expect(marked.html).toContain("# <mark>files</mark> of");
  });
});

describe("an ICU message on the page of work", () => {
  it("is written by the branches that the language needs, below those of the source text", async () => {
    const page = await open();
    expect(partsOf(page)).toEqual({ "<": "", "=0": "", one: "", few: "", many: "", other: "" });
    expect(page.text).toContain("few, such as 2");
    await press(page, save, {
      "<": "W ",
      one: "# plik {name}",
      few: "# pliki {name}",
      many: "# plików {name}",
      other: "# pliku {name}",
      "=0": "nic",
    });
    expect(await stored()).toBe(
      "W {n, plural, offset:1 =0 {nic} one {# plik {name}} few {# pliki {name}} many {# plików {name}} other {# pliku {name}}}",
    );
  });

  it("keeps each byte between the branches, and is unchanged where none was", async () => {
    const text =
      "{n,plural, offset:1\n =0{nic}one {{name}: # '{plik}'} few{# pliki {name}} many {# {name}}\tother {# {name}} }";
    await fill("pl", { "a.json": { files: text } });
    const page = await open();
    const same = await press(page, save);
    expect(same.headers.get("location")).toContain("at=a.json");
    expect(await stored()).toBe(text);
    await press(page, save, { few: "# pliczki {name}" });
    expect(await stored()).toBe(text.replace("pliki", "pliczki"));
  });

  it("is written as one text where somebody asks for that, with what was written", async () => {
    const whole = await press(await open(), ["shape", "whole"], { other: "# pliku {name}" });
    expect(partsOf(whole)).toEqual({ other: "{n, plural, offset:1 other {# pliku {name}}}" });
    const refused = await press(whole, save, { other: "{n, plural, other {" });
    expect(refused.status).toBe(422);
    expect(partsOf(refused)).toEqual({ other: "{n, plural, other {" });
  });

  it("is shown as one text when a branch breaks it, and nothing is lost", async () => {
    const refused = await press(await open(), save, { other: "# {plik" });
    expect(refused.status).toBe(422);
    expect(partsOf(refused)).toEqual({ other: "{n, plural, offset:1 other {# {plik}}" });
    expect(await stored()).toBeUndefined();
  });

  it("is shown by its branches again when it was refused for another reason", async () => {
    const refused = await press(await open(), save, { other: "# {nome}" });
    expect(refused.status).toBe(422);
    expect(partsOf(refused)).toMatchObject({ other: "# {nome}", few: "" });
  });

  it("takes no parts of what is no text", async () => {
    const page = await open();
    const body = new URLSearchParams(workFields(page));
    body.set("split", "{}");
    body.set("change", "save");
    expect((await browser.send(desk, body)).status).toBe(422);
  });

  it.each([
    ["a text without branches", "plain"],
    ["a translation of another choice", "files"],
  ])("is written as one text: %s", async (_, key) => {
    await fill("pl", { "a.json": { files: "{g, select, other {x}}" } }, { query: "checks=warn" });
    const page = await browser.get(`${desk}?at=a.json:${key}`);
    expect(Object.keys(partsOf(page))).toEqual(["other"]);
  });
});
