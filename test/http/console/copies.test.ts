/** The console of a server that has a copy: it reads, says where changes are made, and loses nothing that was written. */
import { beforeEach, expect, it } from "vitest";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { upToDate } from "../../helpers/events/following.ts";
import { harness, makeHive, makeToken, memoryStorage } from "../../helpers/storage.ts";
import { browse, type ConsoleBrowser } from "./browse.ts";

const original = "https://skep.example.org";
const page = "/hives/web/strings/a.json/hello";

let storage: Storage;
let token: string;
let browser: ConsoleBrowser;

beforeEach(async () => {
  storage = memoryStorage();
  await makeHive(storage, "web", { locales: ["fr"] });
  await makeHive(storage, "gone");
  token = await makeToken(storage, { abilities: ["admin"] });
  const { call } = harness(storage, token);
  await call("POST", "/api/hives/web/strings", { body: { files: { "a.json": { hello: "Hello" } } } });
  await deleteHive(storage, toHiveSlug("gone"));
  await storage.replication.readOrCreate();
  await storage.replication.change((state) => ({ id: "", generation: 1, ...state, follows: original }));
  browser = browse(storage, { following: upToDate, passOn: { url: original, forwardTo: undefined } });
});

it("pages of a copy link to the same page on the primary, and have no forms that change anything", async () => {
  const asked = await browser.get(`${page}?at=main`);
  expect([asked.status, asked.headers.get("location")]).toEqual([303, expect.stringContaining("to=")]);
  expect((await browser.get("/")).html).toContain(
    `<a href="${original}/">open this page at skep.example.org</a>`,
  );
  await browser.signIn(token);
  for (const path of ["/", "/hives/web", "/hives/web/strings", page, "/hives/web/history", "/team"]) {
    const { status, html } = await browser.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(html).toContain(`<a href="${original}${path}">`);
    expect(
      html.match(/<form method="post" action="([^"]*)"/g)?.map((form) => /[^/"]*"$/.exec(form)?.[0]),
    ).toEqual(['sign-out"']);
  }
  const out = await browser.post("/sign-out", { form_key: await browser.formKey() });
  expect([out.status, [...browser.cookies.keys()]]).toEqual([303, ["skep-device"]]);
});

it("a form that is sent to a copy changes nothing, and the error page has the user's text", async () => {
  await browser.signIn(token);
  const before = storage.hives.at(toHiveSlug("web")).head();
  const text = "Un texte\nlong, écrit <à la main>";
  const form = { change: "write", locale: "fr", seen: "", text, message: "Why" };
  const signedIn = await browser.post(page, { ...form, form_key: await browser.formKey() });
  const stranger = await browse(storage, { following: upToDate }).post(page, form);
  expect([signedIn.status, stranger.status]).toEqual([503, 401]);
  expect(signedIn.text).toContain("This server cannot change anything now, so nothing was done.");
  expect(signedIn.html).toContain(`<a href="${original}/">`);
  expect(stranger.text).toContain("Your session has ended, so nothing was done.");
  for (const { html } of [signedIn, stranger]) {
    expect(html).toContain("Un texte\nlong, écrit &lt;à la main&gt;</textarea>");
    expect(html).toContain("\nWhy</textarea>");
  }
  const foreign = await browser.post(page, form, { origin: "https://elsewhere.example" });
  expect([foreign.status, foreign.text.includes("Un texte")]).toEqual([403, false]);
  expect(storage.hives.at(toHiveSlug("web")).head()).toBe(before);
});
