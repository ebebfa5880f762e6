/** The forms of all pages: what they say of values that cannot be used. */
import { describe, expect, it } from "vitest";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { addMirror } from "../../../src/service/admin/mirrors.ts";
import { makeToken } from "../../helpers/storage.ts";
import { makePerson } from "../../helpers/people/people.ts";
import { prepareBrowser } from "./browse.ts";
import { formsIn, textOf } from "./parts/shown-forms.ts";

const prepared = prepareBrowser(
  { locales: ["fr", "ar"], token: { abilities: ["admin"] } },
  async ({ call, storage }) => {
    await makePerson(storage, { id: "anna", name: "Anna" });
    await makePerson(storage, { id: "max", name: "Max", abilities: ["read", "approve"] });
    await call("POST", "/api/engines", { body: { name: "gpt", type: "openai", model: "m", key: "k" } });
    await addMirror(storage, toHiveSlug("web"), toMirrorUrl("https://git.example.org/web.git"));
    const send = (path: string, body: object) => call("POST", `/api/hives/web${path}`, { body });
    await send("/strings", { files: { "a.json": { x: "X", w: "W" } } });
    await send("/branches", { name: "next" });
    await call("PUT", "/api/hives/web/channels/app", { body: { public: true } });
    await send("/glossary", { terms: [{ source: "Hive", translations: {} }] });
    const reviewed = await makeToken(storage, { review: "always" });
    const body = { files: { "a.json": { x: "Y", w: "V" } } };
    await call("POST", "/api/hives/web/translations/fr", { body, token: reviewed });
  },
);

/** What people write into fields that must not be empty. */
const usual: Readonly<Record<string, string>> = {
  slug: "shop",
  name: "next2",
  id: "ben",
  source: "Word",
  code: "de",
  url: "https://git.example.org/web.git",
  branch: "",
};

/** The pages with forms, and of each form its fields into which people may write what cannot be used. */
const pages = {
  "/new-hive": { "/new-hive": "slug name source_locale locales" },
  "/team/people": { "/team/people": "id name mail role hives locales review" },
  "/team/people/anna": { "/team/people": "name mail role hives locales review" },
  "/team/people/max": { "/team/people": "name mail role abilities hives locales review" },
  "/team/tokens": { "/team/tokens": "name abilities hives locales review checks expires" },
  "/team/webhooks": { "/team/webhooks": "url hive" },
  "/team/engines": {
    "/team/engines": "name type url model key locales max_characters_per_day instructions suggest",
  },
  "/team/engines?try=gpt": { "/team/engines/gpt": "text to from" },
  "/team/mirrors?change=MIRROR": { "/team/mirrors": "url" },
  "/hives/web/settings/general": {
    "/hives/web/settings/general": "name max_deletions push glossary",
    "/hives/web/settings/delete": "slug",
  },
  "/hives/web/settings/languages": { "/hives/web/settings/languages": "code custom_code inherits" },
  "/hives/web/settings/languages?change=fr": {
    "/hives/web/settings/languages": "custom_code inherits auto.engine auto.want auto.review",
  },
  "/hives/web/settings/checks": { "/hives/web/settings/checks": "checks.level checks.syntax checks.formats" },
  "/hives/web/branches": { "/hives/web/branches": "name from" },
  "/hives/web/source/add": { "/hives/web/source/add": "file key text" },
  "/hives/web/source/change?file=a.json&key=x": { "/hives/web/source/change": "text.x conflict_strategy" },
  "/hives/web/source/move?file=a.json&key=x": { "/hives/web/source/move": "file key" },
  "/hives/web/tags": { "/hives/web/tags": "name at" },
  "/hives/web/channels": {
    "/hives/web/channels": "name at branch locales tag shape state failing missing min_complete",
  },
  "/hives/web/channels?change=app": {
    "/hives/web/channels": "at branch locales tag shape state failing missing min_complete",
  },
  "/hives/web/glossary?locale=fr": {
    "/hives/web/glossary": "source meaning part_of_speech text accepted forbidden match",
    "/hives/web/glossary/files": "mode",
    "/hives/web/glossary/style": "text",
  },
  "/hives/web/strings/a.json/x": {
    "/hives/web/comments": "text",
    "/hives/web/strings/a.json/x": "note max_length max_length_unit tags",
    "/hives/web/translate/fr": "reason text question",
    "/hives/web/translate/ar": "text question",
  },
  "/hives/web/translate/fr?want=review&at=a.json:w": {
    "/hives/web/comments": "text",
    "/hives/web/translate/fr": "text reason question",
  },
} satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Those that no field takes come first. */
const wrong = ["", "a\u0000b", "x".repeat(5_000), "--force", "-1", "*", "https://other.example/web.git"];

/** What a page says of problems, without what was written. */
function saidIn(html: string): readonly string[] {
  const parts = html.matchAll(/<(p|div)[^>]*class="(?:problem|notice wrong|notice warn)"[^>]*>(.*?)<\/\1>/gs);
  const written = wrong.filter((value) => value !== "");
  return Array.from(parts, ([, , said = ""]) =>
    written.reduce((rest, value) => rest.replaceAll(value, ""), textOf(said).replaceAll(/"[^"]*"/g, '""')),
  ).filter((said) => said !== "");
}

/** Members of the API, and options of commands. */
const forPrograms = /^[a-z_]+(\.\w+)*: |\b[a-z]+_[a-z_]+\b|(^|[^\w-])--[a-z]/;

describe("the forms", () => {
  it("say what cannot be used at its field, and never by a name for programs", async () => {
    const { browser: reader, call } = await prepared();
    const [mirror] = (await call("GET", "/api/mirrors")).json.data;
    const found: Record<string, Record<string, string>> = {};
    for (const page of Object.keys(pages)) {
      const forms: Record<string, string> = (found[page] = {});
      const path = page.replace("MIRROR", mirror.id);
      for (const { action, values, fields } of formsIn((await reader.get(path)).html, path, usual)) {
        const refused = new Set(forms[action]?.split(" "));
        for (const [name, { id, isText, pressed }] of fields) {
          // What was done before is not there: what is taken cannot be taken again.
          let { browser } = await prepared();
          for (const value of wrong) {
            const { status, html } = await browser.post(action, { ...values, ...pressed, [name]: value });
            if (status < 400) ({ browser } = await prepared());
            const said = saidIn(html);
            expect([action, name, value, said.filter((text) => forPrograms.test(text))]).toEqual([
              action,
              name,
              value,
              [],
            ]);
            // Others may be: a name may be taken, and a note changed meanwhile.
            if (status !== 422) continue;
            const atFields = Array.from(
              html.matchAll(/<p class="problem"(?: id="([^"]*)")?><bdi>/g),
              ([, at]) => at,
            );
            expect([action, name, value, said, atFields.length > 0]).toEqual([
              action,
              name,
              value,
              said,
              true,
            ]);
            if (atFields.includes(id === "" ? undefined : `problem-${id}`)) refused.add(name);
            const again = formsIn(html, action, usual).find((form) => form.fields.get(name)?.id === id);
            const kept = again?.fields.get(name)?.value;
            if (isText && value !== "") expect([action, name, kept]).toEqual([action, name, value]);
          }
        }
        forms[action] = [...refused].join(" ");
      }
    }
    expect(found).toEqual({ ...pages });
  });

  it("have errors of what they do not show without names for programs", async () => {
    const { browser } = await prepared();
    const path = "/hives/web/channels";
    const [form] = formsIn((await browser.get(`${path}?change=app`)).html, path, usual);
    const both = { ...form?.values, at: "v1", branch: "main" };
    const { status, text, html } = await browser.post(path, both);
    expect([status, text]).toEqual([
      422,
      expect.stringContaining("must not be given for a channel that follows a branch"),
    ]);
    expect(html).toMatch(/id="problem-channels-at"><bdi>must not be given/);
  });
});
