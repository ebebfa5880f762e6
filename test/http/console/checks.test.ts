/** What checks find, in the pages: badges, a filter, false alarms, and texts that are refused. */
import { beforeEach, describe, expect, it } from "vitest";
import type { CheckFinding } from "../../../src/domain/checks/message.ts";
import { findingsWithHints, type TextChecks } from "../../../src/domain/glossary/text-checks.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { type Call, type WebOptions } from "../../helpers/storage.ts";
import { editorIn, prepareBrowser, unescaped, type ConsoleBrowser, type Page } from "./browse.ts";

const api = "/api/hives/web";
const address = "/hives/web/strings/a.json/hello";
let browser: ConsoleBrowser;
let call: Call;
const { post, fill, translate } = hiveAt(() => call);

const options: WebOptions = { locales: ["fr", "de"], token: { abilities: ["admin"] } };
const prepared = prepareBrowser(options, async (web) => {
  ({ call } = web);
  const texts = { hello: "Hello {{name}}", bye: "Bye {{name}}" };
  await post({ "a.json": texts });
  await fill("fr", { "a.json": { hello: "Salut {{nom}}", bye: "À plus, {{name}}" } });
});
beforeEach(async () => {
  ({ call, browser } = await prepared());
});

/** Sends the form of the translation into French, as its page has it. */
const send = async (fields: Record<string, string>): Promise<Page> => {
  const { html } = await browser.get(`${address}?locale=fr`);
  // Other forms of the page come before it and after it.
  const seen = /name="locale" value="fr"[^]*?name="seen" value="([^"]+)"/.exec(html)?.[1] ?? "";
  return browser.submit(address, { locale: "fr", seen, ...fields });
};

describe("a failing translation", () => {
  it("is counted and listed, with the faulty and the expected part", async () => {
    expect((await browser.get("/hives/web")).html).toMatch(/class="mark failing" href="[^"]*state=failing"/);
    const list = await browser.get("/hives/web/strings?locale=fr&state=failing");
    expect(list.text).toContain("1 string found");
    expect(list.text).toContain("{{nom}} is not in the source text");
    for (const path of ["/hives/web/strings?locale=*&state=failing", address]) {
      expect((await browser.get(path)).html, path).toContain('class="mark failing"');
    }
    expect((await browser.get("/hives/web/strings?locale=de&state=failing")).text).toContain(
      "No string found",
    );
  });

  it("has a sentence from left to right, also where an Arabic argument begins it", async () => {
    await translate("fr", { "a.json": { hello: "Salut {{عدد}}" } });
    for (const path of ["/hives/web/strings?locale=fr&state=failing", address])
      expect((await browser.get(path)).html).toContain(
        '<bdi dir="ltr"><bdi dir="ltr">{{عدد}}</bdi> is not in the source text',
      );
  });

  it("is accepted as a false alarm by one press, which returns to the list", async () => {
    const back = JSON.stringify({ locale: "fr", state: "failing" });
    const done = await send({ change: "accept", check: "argument-extra", back });
    expect([done.status, done.headers.get("location")]).toEqual([303, expect.stringContaining("failing")]);
    expect((await browser.get("/hives/web/strings?locale=fr&state=failing")).text).toContain(
      "No string found",
    );
    expect((await call("GET", `${api}/checks?locale=fr&check=argument-extra`)).json.data).toEqual([]);
  });

  it("is refused with its findings and the user's text if the Hive refuses errors", async () => {
    await call("PATCH", api, { body: { checks: { level: "refuse" } } });
    const page = "/hives/web/strings?locale=fr";
    const form = editorIn(await browser.get(page), page, "fr");
    const save = (text: string) => browser.post(form.path, { ...form.fields, change: "save", text });
    const refused = await save("Bonjour {{prenom}}");
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("would break the app")]);
    expect(refused.text).toContain("{{prenom}} is not in the source text");
    expect(refused.html).toContain("Bonjour {{prenom}}</textarea>");
    expect((await save("Bonjour {{name}}")).status).toBe(303);
  });

  it("is not shown in a Hive without checks", async () => {
    await call("PATCH", api, { body: { checks: { level: "off" } } });
    const { html } = await browser.get("/hives/web/strings?locale=fr");
    expect(html).not.toMatch(/mark failing|data-check=/);
  });
});

/** What the form of the translation into French tells the browser about checks. */
async function checksOnPage(path: string): Promise<TextChecks> {
  const { html } = await browser.get(path);
  const form = /name="locale" value="fr"[^]*?data-check="([^"]*)"/.exec(html)?.[1] ?? "";
  return JSON.parse(unescaped(form));
}

describe("the form of a translation", () => {
  it("has the data for checks in the browser, of its own string alone", async () => {
    const name = { source: "name", translations: { fr: { text: "nom" }, de: { text: "Name" } } };
    const terms = [
      { ...name, meaning: "what one is called" },
      { source: "bye" },
      { source: "Rome", keep: true },
    ];
    await call("POST", `${api}/glossary`, { body: { terms } });
    const limits = { hello: { max_length: 20 }, bye: { max_length: 30 } };
    await call("PATCH", `${api}/notes`, { body: { files: { "a.json": limits } } });
    await post({ "a.json": { hello: "Hello name {{name}}" } });
    for (const path of ["/hives/web/strings?locale=fr&q=hello", `${address}?locale=fr`]) {
      expect(await checksOnPage(path), path).toEqual({
        syntax: "i18next",
        source: "Hello name {{name}}",
        context: { locale: "fr", sourceLocale: "en" },
        terms: [
          [{ source: "name", match: "word", case: false, spellings: ["nom"], forbidden: [], keep: false }],
        ],
        limit: { most: 20, unit: "characters" },
      });
    }
  });

  it("finds with them what the server finds, in the same words", async () => {
    const fr = { text: "fichier", accepted: ["document"], forbidden: ["archive"] };
    await call("POST", `${api}/glossary`, { body: { terms: [{ source: "file", translations: { fr } }] } });
    const source = "Open the file {{name}} <b>now</b>";
    await post({ "a.json": { hello: source } });
    const limits = { hello: { max_length: 40, max_length_unit: "columns" } };
    await call("PATCH", `${api}/notes`, { body: { files: { "a.json": limits } } });
    const checks = await checksOnPage(`${address}?locale=fr`);
    const found = new Set<string>();
    for (const text of [
      "Ouvrir l'archive {{nom}}",
      "Ouvrir {{name}} <b>maintenant",
      "Ouvrir le Document {{name}} <b>tout de suite et vite</b>",
      "Ouvrir le fichier {{name}} <b>vite</b>",
      "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字 fichier {{name}} <b></b>",
    ]) {
      const files = { "a.json": { hello: text } };
      await translate("fr", files);
      const listed = await Promise.all(
        ["", "&severity=hint"].map((which) => call("GET", `${api}/checks?locale=fr&per_page=100${which}`)),
      );
      const onServer = listed
        .flatMap(({ json }): (CheckFinding & { key: string })[] => json.data)
        .filter(({ key }) => key === "hello")
        .map(({ check, severity, message }) => [check, severity, message]);
      for (const [check = ""] of onServer) found.add(check);
      const inPage = findingsWithHints(checks, text).map(({ check, severity, message }) => [
        check,
        severity,
        message,
      ]);
      expect(inPage.toSorted(), text).toEqual(onServer.toSorted());
    }
    for (const check of ["argument-extra", "tag-missing", "length", "term-missing", "term-forbidden"])
      expect(found).toContain(check);
  });
});
