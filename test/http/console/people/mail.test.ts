/** Mails in the console: the account, the links in mails, and forgotten passwords. */
import { beforeEach, describe, expect, it } from "vitest";
import { toPersonId, toTeamName } from "../../../../src/domain/names.ts";
import { invitePerson } from "../../../../src/service/people/invitations.ts";
import { unsubscribePath } from "../../../../src/service/mail/own-mail.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { eventually } from "../../../helpers/eventually.ts";
import { keptMails, linkIn, type KeptMail } from "../../../helpers/mail/mailing.ts";
import { changeStored, makePerson, makePersonalToken } from "../../../helpers/people/people.ts";
import { ownerGrant } from "../../../helpers/people/tokens.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { makeHive, type Call } from "../../../helpers/storage.ts";
import { browse, host, prepareBrowser, type ConsoleBrowser } from "../browse.ts";

const publicUrl = `http://${host}`;
const password = "twelve letters";
const address = "anna@example.org";

let storage: Storage;
let mails: KeptMail[];
let options: object;
let anna: ConsoleBrowser;
let admin: ConsoleBrowser;
let token: string;
let call: Call;
const { put } = hiveAt(() => call);

const prepared = prepareBrowser({ locales: ["fr"], token: { abilities: ["admin"] } }, async () => {});
beforeEach(async () => {
  ({ storage, token, call } = await prepared());
  const kept = keptMails(publicUrl);
  ({ mails } = kept);
  options = { publicUrl, mailing: kept.mailing };
  admin = browse(storage, options);
  await admin.signIn(token);
  await makePerson(storage, { id: "anna", abilities: ["read", "write"] });
  anna = await invited();
});

/** Anna, signed in by a password that she has chosen. */
async function invited(): Promise<ConsoleBrowser> {
  const { url } = await invitePerson(storage, ownerGrant(toTeamName("acme")), "anna", publicUrl);
  const browser = browse(storage, options);
  const code = new URL(url).searchParams.get("code") ?? "";
  await browser.post("/invitation", { code, password });
  return browser;
}

const stored = async () => (await storage.registry.person(toPersonId("anna"))) ?? expect.fail();
const confirmed = async () =>
  changeStored(storage, { ...(await stored()), mail: address, mailConfirmed: true, digest: "daily" });
const mailTo = (path: string): string => linkIn(mails.at(-1) ?? expect.fail("no mail"), path, publicUrl);
const codeIn = (link: string): string => new URL(link, publicUrl).searchParams.get("code") ?? "";

describe("the language of a person", () => {
  it("is that of their pages and mails, wherever they sign in, until it is left to the browser", async () => {
    const html = async (accepted = "en"): Promise<string> =>
      (await anna.get("/account", { "accept-language": accepted })).html;
    expect(await html()).toMatch(/action="[^"]*account\/language"/);
    const chosen = await anna.submit("/account/language", { language: "de", to: "account" });
    expect([chosen.status, chosen.headers.get("location")]).toEqual([303, "../account"]);
    expect((await stored()).language).toBe("de");
    expect(await html()).toContain('<html lang="de">');
    await anna.submit("/account/mail", { mail: address, digest: "off" });
    expect(mails.at(-1)?.html).toContain('<html lang="de">');
    const own = await makePersonalToken(storage);
    const me = await call("PATCH", "/api/me", { token: own, body: { language: null } });
    expect([me.status, me.json.language]).toEqual([200, null]);
    expect(await html()).toContain('<html lang="en">');
    expect(await html("de-AT, en")).toContain('<html lang="de">');
    expect((await call("PATCH", "/api/me", { token: own, body: { language: "tlh" } })).json.errors).toEqual({
      language: [expect.stringMatching(/^language: must be one of en, ar, /)],
    });
    expect((await anna.submit("/account/language", { language: "tlh", to: "" })).status).toBe(422);
    // What was chosen in this browser before signing in does not outlive it.
    anna.cookies.set("skep-language", "fr");
    await anna.submit("/account/language", { language: "", to: "" });
    expect(await html("de")).toContain('<html lang="de">');
  });
});

describe("how pages are for a person", () => {
  it("is chosen on the account: languages that come first, and colours", async () => {
    const saved = await anna.submit("/account/pages", { languages: "ar", language: "", theme: "dark" });
    expect(saved.status).toBe(303);
    expect(await stored()).toMatchObject({ languages: ["ar"], theme: "dark" });
    const account = (await anna.get("/account")).html;
    expect(account).toContain('data-theme="dark"');
    expect(account).toMatch(/name="languages" value="ar" checked/);
    const own = await makePersonalToken(storage);
    const body = { languages: ["fr", "fr", "pt-br"], theme: "light" };
    const me = await call("PATCH", "/api/me", { token: own, body });
    expect(me.json).toMatchObject({ languages: ["fr", "pt-BR"], theme: "light" });
    expect((await call("GET", "/api/me", { token: own })).json).toMatchObject(me.json);
    const before = await call("PATCH", "/api/me", { token: own, body: { language: "en" } });
    expect(before.json).toMatchObject({ languages: ["fr", "pt-BR"], theme: "light" });
    const none = await call("PATCH", "/api/me", { token: own, body: { languages: [], theme: "system" } });
    expect(none.json).toMatchObject({ languages: [], theme: "system" });
    expect(Object.keys(await stored())).toEqual(expect.not.arrayContaining(["languages", "theme"]));
  });

  it("is chosen at the foot of pages, too, and what was chosen in the browser does not outlive it", async () => {
    anna.cookies.set("skep-theme", "light");
    const chosen = await anna.submit("/account/theme", { theme: "dark", to: "account" });
    expect([chosen.status, chosen.headers.get("location")]).toEqual([303, "../account"]);
    expect((await anna.get("/account")).html).toContain('data-theme="dark"');
    anna.cookies.set("skep-theme", "light");
    await anna.submit("/account/theme", { theme: "system", to: "" });
    expect((await anna.get("/account")).html).not.toContain("data-theme");
    expect((await anna.submit("/account/theme", { theme: "blue", to: "" })).status).toBe(422);
  });
});

describe("the languages that a person works in", () => {
  const first = async (path: string, pattern: RegExp): Promise<string | undefined> =>
    pattern.exec((await anna.get(path)).html)?.[1];

  it("come first, also those of a country, and the way to work leads to the first of them with work", async () => {
    await makeHive(storage, "shop", { locales: ["de", "ar", "fr-CA=fr_CA"] });
    const files = { "a.json": { open: "Open" } };
    await call("POST", "/api/hives/shop/strings", { body: { files } });
    expect((await anna.get("/hives/shop/translate")).status).toBe(200);
    const own = await makePersonalToken(storage);
    await call("PATCH", "/api/me", { token: own, body: { languages: ["fr"] } });
    const option = /<select[^>]* name="locale"[^>]*><option value="([^"]*)"/;
    for (const [path, pattern] of [
      ["strings", option],
      ["export", /name="locale".*?<option value="([^"]+)"/],
      ["figures", option],
      ["glossary", option],
      ["", /<table class="locales">.*?<tbody>.*?<code class="soft">([^<]*)/],
      ["strings/a.json/open", /<ul class="strings by-locale">.*?lang="([^"]*)"/],
    ] as const)
      expect([path, await first(`/hives/shop/${path}`.replace(/\/$/, ""), pattern)]).toEqual([
        path,
        path.includes("open") ? "fr-CA" : "fr_CA",
      ]);
    const led = await anna.get("/hives/shop/translate");
    expect([led.status, led.headers.get("location")]).toEqual([303, "../../hives/shop/translate/fr_CA"]);
    expect((await anna.get("/")).text).toContain("shop → Canadian French Translate 1 text");
    expect((await anna.get("/search")).text).toContain("Canadian French");
  });
});

describe("the account", () => {
  it("takes an address, which a link in a mail confirms, and a digest", async () => {
    expect((await anna.get("/account")).text).toContain("You have given no address");
    const saved = await anna.submit("/account/mail", { mail: address, digest: "daily" });
    expect([saved.status, saved.headers.get("location")]).toEqual([303, "../account#mail"]);
    expect((await anna.get("/account")).text).toContain(`${address} is not confirmed`);
    const link = mailTo("/account/mail");
    const page = await anna.get(link);
    expect(page.text).toContain(`is ${address} your address?`);
    // Looking is not confirming: programs look, too.
    expect((await stored()).mailConfirmed).toBeUndefined();
    await anna.submit("/account/mail/confirm", { code: codeIn(link) });
    expect(await stored()).toMatchObject({ mail: address, mailConfirmed: true, digest: "daily" });
    expect((await anna.get("/account")).text).toContain(`Mails reach you at ${address}`);
  });

  it("says beside the field what is wrong with an address", async () => {
    const wrong = await anna.submit("/account/mail", { mail: "a@b,c@d", digest: "off" });
    expect(wrong.status).toBe(422);
    expect(wrong.html).toMatch(/name="mail"[^>]*value="a@b,c@d"/);
    expect(mails).toEqual([]);
  });

  it("has nothing about mails on a server that sends none", async () => {
    const browser = browse(storage, { publicUrl });
    for (const [name, value] of anna.cookies) browser.cookies.set(name, value);
    const page = await browser.get("/account");
    expect(page.text).toContain("Your sessions");
    expect(page.html).not.toContain("account/mail");
    expect((await browser.submit("/account/digest")).status).toBe(422);
    expect((await browse(storage, { publicUrl }).get("/")).html).not.toContain("sign-in/forgotten");
    expect((await browser.get("/sign-in/forgotten")).status).toBe(403);
  });

  it("sends a digest at once, if there is something in it, to a confirmed address", async () => {
    await anna.submit("/account/mail", { mail: address, digest: "off" });
    expect((await anna.submit("/account/digest")).status).toBe(422);
    await confirmed();
    mails.length = 0;
    const empty = await anna.submit("/account/digest");
    expect([empty.status, mails]).toEqual([303, []]);
    expect((await anna.get("/account")).text).toContain("nothing was sent");
    const files = { "a.json": { a: "A" } };
    await put(files);
    await anna.submit("/account/digest");
    expect(mails).toMatchObject([{ kind: "digest", to: address }]);
    expect(mails[0]?.text).toContain("French: 1 to translate");
  });
});

describe("the link that confirms an address", () => {
  const link = async (): Promise<string> => {
    await anna.submit("/account/mail", { mail: address, digest: "off" });
    return mailTo("/account/mail");
  };

  it("is of no use without being signed in, to another person, and with a token alone", async () => {
    const path = await link();
    const stranger = browse(storage, options);
    const led = await stranger.get(path);
    expect([led.status, led.headers.get("location")]).toEqual([303, expect.stringContaining("to=account")]);
    const own = await makePersonalToken(storage, { id: "anna" });
    await stranger.signIn(own);
    const refused = await stranger.submit("/account/mail/confirm", { code: codeIn(path) });
    expect(refused.status).toBe(403);
    await makePerson(storage, { id: "ben" });
    const ben = browse(storage, options);
    await ben.signIn(await makePersonalToken(storage, { id: "ben" }));
    expect((await ben.get(path)).status).toBe(404);
    expect((await stored()).mailConfirmed).toBeUndefined();
  });

  it("is of no use for another address", async () => {
    const path = await link();
    await anna.submit("/account/mail", { mail: "other@example.org", digest: "off" });
    expect((await anna.get(path)).status).toBe(404);
    expect((await anna.submit("/account/mail/confirm", { code: codeIn(path) })).status).toBe(404);
    expect((await stored()).mailConfirmed).toBeUndefined();
  });
});

describe("the link that ends digests", () => {
  it("leads to a page that asks, and says when it is done", async () => {
    const path = await unsubscribePath(storage, await confirmed());
    const stranger = browse(storage, options);
    expect((await stranger.get(path)).text).toContain(`End the daily digests to ${address}?`);
    expect((await stored()).digest).toBe("daily");
    const done = await stranger.post(path, {});
    expect(done.status).toBe(303);
    expect((await stored()).digest).toBeUndefined();
    expect((await stranger.get(path)).text).toContain(`No more digests are sent to ${address}`);
  });
});

describe("a forgotten password", () => {
  const ask = (person: string, browser = browse(storage, options)) =>
    browser.post("/sign-in/forgotten", { person });

  it("is replaced by the link in a mail, once", async () => {
    await confirmed();
    const browser = browse(storage, options);
    expect((await browser.get("/")).html).toContain("sign-in/forgotten");
    expect((await browser.get("/sign-in/forgotten")).text).toContain("Mail me a link");
    await ask("Anna ", browser);
    await eventually(() => expect(mails).toMatchObject([{ kind: "reset", to: address }]));
    const path = mailTo("/invitation");
    expect((await browser.get(path)).text).toContain("Choose a password");
    const chosen = { code: codeIn(path), password: "another dozen" };
    expect((await browser.post("/invitation", chosen)).status).toBe(303);
    expect((await browser.get("/account")).text).toContain("Your user name is anna");
    // Her other session is over, and so is the link.
    expect((await anna.get("/account")).status).toBe(303);
    expect((await browser.get(path)).status).toBe(410);
    const again = browse(storage, options);
    expect((await again.post("/sign-in/password", { person: "anna", password })).status).toBe(401);
  });

  it("is answered alike for all, and mailed to confirmed addresses only", async () => {
    await makePerson(storage, { id: "ben" });
    const unconfirmed = { ...(await stored()), mail: address };
    await changeStored(storage, unconfirmed);
    const answers = [];
    for (const person of ["anna", "ben", "nobody", "No such name!", ""]) {
      const { status, text } = await ask(person);
      answers.push([status, text]);
    }
    await confirmed();
    const { status, text } = await ask("anna");
    answers.push([status, text]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await eventually(() => expect(mails).toHaveLength(1));
  });

  it.each([
    ["who is disabled", { disabled: true }],
    [
      "of the identity provider",
      { identity: { iss: "https://a.example", sub: "1", signedIn: "2026-01-01T00:00:00Z" } },
    ],
  ])("is mailed to nobody %s", async (_, change) => {
    await changeStored(storage, { ...(await confirmed()), ...change });
    await ask("anna");
    await changeStored(
      storage,
      await confirmed().then((person) => ({ ...person, disabled: false, identity: undefined })),
    );
    await ask("anna");
    await eventually(() => expect(mails.length).toBeGreaterThan(0));
    expect(mails).toHaveLength(1);
  });

  it("is asked for five times in a quarter of an hour, whoever it is of", async () => {
    await confirmed();
    for (const person of ["anna", "nobody"]) {
      const statuses = [];
      for (let i = 0; i < 6; i++) statuses.push((await ask(person)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    }
  });
});

describe("the page of a person", () => {
  it("mails an invitation, and that of a new one in the same step", async () => {
    expect((await admin.get("/team/people/anna")).text).not.toContain("Mail an invitation");
    await changeStored(storage, { ...(await stored()), mail: address });
    expect((await admin.get("/team/people/anna")).text).toContain("Mail an invitation");
    const sent = await admin.submit("/team/people/anna", { change: "mail" });
    expect([sent.status, mails.map(({ to }) => to)]).toEqual([303, [address]]);
    const page = await admin.get("/team/people/anna");
    expect(page.text).toContain("The invitation is on its way");
    expect(page.text).not.toContain("/invitation?code=");
    const members = "id name mail role invite invite_by_mail";
    const made = await admin.submit("/team/people", {
      members,
      id: "cara",
      name: "Cara",
      mail: "cara@example.org",
      role: "translator",
      invite: "true",
      invite_by_mail: "true",
    });
    expect([made.status, mails.at(-1)?.to]).toEqual([303, "cara@example.org"]);
  });
});
