/** Suggestions of engines on the pages, and the page on which these are tried, without a script. */
import { beforeEach, expect, it } from "vitest";
import type { SendOutgoing } from "../../../src/service/outgoing-request.ts";
import { answerOf, modelOf } from "../../helpers/engines/answering.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { harness, makeHive, makeToken, memoryStorage, type Call } from "../../helpers/storage.ts";
import { hiddenIn, signedIn, unescaped, type ConsoleBrowser } from "./browse.ts";

const api = "/api/hives/web";
const desk = "/hives/web/translate/fr";

let call: Call;
let browser: ConsoleBrowser;
let asked: number;
let answer: SendOutgoing;
const { put, history } = hiveAt(() => call);

beforeEach(async () => {
  asked = 0;
  answer = modelOf((source) => source.replace("Hello", "Bonjour"));
  const storage = memoryStorage({
    sendToEngine: (request) => {
      asked += 1;
      return answer(request);
    },
  });
  await makeHive(storage, "web");
  ({ call } = harness(storage, await makeToken(storage, { abilities: ["admin"] })));
  browser = await signedIn(storage, { abilities: ["admin"] });
  const files = { "a.json": { hi: "Hello {{name}}", n_one: "{{count}} file", n_other: "{{count}} files" } };
  await put(files);
  await call("POST", "/api/engines", { body: { name: "gpt", type: "openai", model: "m", suggest: "auto" } });
});

const note = (notes: object) => call("PATCH", `${api}/notes`, { body: { files: { "a.json": notes } } });
const offer = /<button[^>]*name="suggest"/;

it.each([
  ["a:hi", { hi: { machine: false } }, false],
  ["a:hi", { n_one: { machine: false } }, true],
  // A note on one plural form is about all of them.
  ["a:n_other", { n_one: { machine: false }, n_other: { note: "On a disk" } }, false],
  ["a:n_other", { hi: { machine: false } }, true],
])("are offered for %s where its notes allow it: %j", async (at, notes, isOffered) => {
  expect((await note(notes)).status).toBe(200);
  const { html } = await browser.get(`${desk}?at=${at.replace(":", ".json:")}`);
  expect(html).toContain('class="edit work"');
  expect([offer.test(html), html.includes("data-auto")]).toEqual([isOffered, isOffered]);
});

it.each(["/hives/web/strings?locale=fr&q=Hello", "/hives/web/strings/a.json/hi"])(
  "are asked for in the form of %s, too, and stay a machine's",
  async (page) => {
    const { html } = await browser.get(page);
    const [form = ""] = /<form[^>]*class="edit".*?<\/form>/s.exec(html) ?? [];
    expect(form).toMatch(offer);
    // Enter in a field presses the first button; and only the page of work asks by itself.
    expect(/<button(?! type="button")[^>]*>/.exec(form)?.[0]).toContain('value="save"');
    expect(form).not.toContain("data-auto");
    const send = (sent: string, fields: Record<string, string>) =>
      browser.submit(desk, { ...hiddenIn(sent), form: "other", ...fields });
    const filled = await send(form, { text: "", suggest: "gpt" });
    expect([filled.status, filled.text]).toEqual([200, expect.stringContaining("Suggested by gpt/small-1")]);
    const [next = ""] = /<form[^>]*class="edit".*?<\/form>/s.exec(filled.html) ?? [];
    expect(next).toMatch(/<textarea[^>]*>\nBonjour \{\{name\}\}</);
    expect((await send(next, { text: "Bonjour {{name}}", change: "save" })).status).toBe(303);
    const [commit] = (await history("locale=fr")).json.data;
    expect(commit.origin).toMatchObject({ kind: "model", name: "gpt/small-1" });
    await note({ hi: { machine: false } });
    expect((await browser.get(page)).html).not.toMatch(offer);
  },
);

it("are kept for the next string without a translation, so that its page asks nobody", async () => {
  const { html } = await browser.get(`${desk}?at=a.json:hi`);
  const [, ahead = ""] = /data-ahead="([^"]*)"/.exec(html) ?? [];
  expect(JSON.parse(unescaped(ahead))).toEqual({ file: "a.json", key: "n_other" });
  const at = { locale: "fr", file: "a.json", key: "n_other" };
  expect((await browser.submit(desk, { ...at, ahead: "gpt" })).status).toBe(303);
  expect(asked).toBe(1);
  const next = await browser.get(`${desk}?at=a.json:n_other`);
  expect((await browser.submit(desk, { ...hiddenIn(next.html), ...at, suggest: "gpt" })).status).toBe(200);
  expect(asked).toBe(1);
  await note({ n_other: { machine: false } });
  expect((await browser.submit(desk, { ...at, ahead: "gpt" })).status).toBe(403);
  await call("PATCH", "/api/engines/gpt", { body: { suggest: "ask" } });
  expect((await browser.get(`${desk}?at=a.json:hi`)).html).not.toContain("data-ahead");
});

it("an engine is tried with a text, which stays in the form with what came back", async () => {
  const page = "/team/engines";
  expect((await browser.get(page)).html).toContain('href="../team/engines?try=gpt"');
  expect((await browser.get(`${page}?try=gpt`)).html).toContain("Try the engine gpt");
  const tryWith = (text: string, to: string) =>
    browser.submit(`${page}/gpt`, { change: "try", members: "text to from", text, to, from: "en" });
  answer = modelOf(() => "Bonjour <b>");
  const tried = await tryWith("Hello {name}", "fr");
  expect([tried.status, tried.text]).toEqual([200, expect.stringContaining("Translated by small-1.")]);
  expect(tried.text).toContain("Characters sent: 12.");
  expect(tried.html).toMatch(/role="status"><p><span class="text"[^>]* lang="fr">Bonjour &lt;b&gt;/);
  expect(tried.html).toMatch(/<textarea[^>]*>\nHello \{name\}</);
  expect(tried.html).toContain('class="findings"');
  const refused = await tryWith("Hello", "no code");
  expect([refused.status, asked]).toEqual([422, 1]);
  expect(refused.html).toMatch(/<p class="problem" id="problem-team\/engines\/gpt-to"><bdi>/);
  answer = async () => answerOf("no", 500);
  const failed = await tryWith("Hello", "fr");
  expect([failed.status, failed.text]).toEqual([422, expect.stringContaining("The engine gpt failed: ")]);
  expect(failed.html).toMatch(/<textarea[^>]*>\nHello</);
  expect((await browser.submit(`${page}/none`, { change: "try", text: "Hello", to: "fr" })).status).toBe(404);
});
