/** Mails over HTTP: invitations that an admin mails, the own address, and the link that ends digests. */
import { beforeEach, describe, expect, it } from "vitest";
import { toPersonId } from "../../../../src/domain/names.ts";
import type { Mailing } from "../../../../src/service/mail/mailing.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { unsubscribePath } from "../../../../src/service/mail/own-mail.ts";
import { keptMails, linkIn, publicUrl, type KeptMail } from "../../../helpers/mail/mailing.ts";
import { changeStored, makePerson, makePersonalToken } from "../../../helpers/people/people.ts";
import { appOn, harness, setUpWeb, type Call } from "../../../helpers/storage.ts";

const clock = { now: 0 };
let storage: Storage;
let mailing: Mailing;
let mails: KeptMail[];
let call: Call;
let admin: string;

beforeEach(async () => {
  clock.now = Date.parse("2026-01-01T00:00:00Z");
  ({ mailing, mails } = keptMails());
  ({
    storage,
    call,
    token: admin,
  } = await setUpWeb({
    token: { abilities: ["admin"] },
    storage: { now: () => clock.now },
    app: { publicUrl, mailing },
  }));
});

const body = { id: "anna", name: "Anna", mail: "anna@example.org", role: "translator" };
const stored = async (id = "anna") => (await storage.registry.person(toPersonId(id))) ?? expect.fail();

describe("an invitation", () => {
  it("is mailed where an admin asks for it, and only the mail has its link", async () => {
    const made = await call("POST", "/api/people", { body: { ...body, invite_by_mail: true } });
    expect([made.status, made.json.invitation]).toEqual([201, undefined]);
    expect(made.json).toMatchObject({ mail_confirmed: false, invited_until: "2026-01-02T00:00:00.000Z" });
    expect(mails).toHaveLength(1);
    const [mail = expect.fail()] = mails;
    expect(mail).toMatchObject({ kind: "invitation", to: "anna@example.org" });
    expect(linkIn(mail, "/invitation")).toMatch(/^\/invitation\?code=anna\./);
    expect(mail.text).toContain("the team acme");
  });

  it("is mailed to somebody who is there", async () => {
    await call("POST", "/api/people", { body });
    expect(mails).toEqual([]);
    const sent = await call("POST", "/api/people/anna/mail");
    expect(sent.status).toBe(201);
    expect(sent.json).toEqual({
      to: "anna@example.org",
      ends: "2026-01-02T00:00:00.000Z",
      role: "translator",
    });
    expect(mails.map(({ to }) => to)).toEqual(["anna@example.org"]);
  });

  it.each([
    ["an address", { ...body, mail: undefined }, "mail"],
    ["an address that can be mailed to", { ...body, mail: "anna@exa_mple.org" }, "mail"],
    ["several addresses", { ...body, mail: "anna@example.org,eve@example" }, "mail"],
  ])("is not mailed without %s, and nobody is made", async (_, wrong, field) => {
    const refused = await call("POST", "/api/people", { body: { ...wrong, invite_by_mail: true } });
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([422, [field]]);
    expect((await call("GET", "/api/people")).json.data).toEqual([]);
    expect(mails).toEqual([]);
  });

  it("is mailed at most five times an hour to one address", async () => {
    await call("POST", "/api/people", { body });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await call("POST", "/api/people/anna/mail")).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
    clock.now += 3_600_000;
    expect((await call("POST", "/api/people/anna/mail")).status).toBe(201);
  });

  it("is not mailed by a server without a mail server", async () => {
    const { call: other } = harness(storage, admin, { publicUrl });
    const refused = await other("POST", "/api/people", { body: { ...body, invite_by_mail: true } });
    expect(refused.json.errors.invite_by_mail[0]).toContain("--smtp-url");
    await other("POST", "/api/people", { body });
    expect((await other("POST", "/api/people/anna/mail")).status).toBe(422);
    const own = { token: await makePersonalToken(storage, { id: "anna" }) };
    for (const change of [{ mail: "a@example.org" }, { digest: "daily" }])
      expect((await other("PATCH", "/api/me", { ...own, body: change })).status).toBe(422);
    expect((await other("PATCH", "/api/me", { ...own, body: { mail: null, digest: "off" } })).status).toBe(
      200,
    );
  });
});

describe("the own address", () => {
  let own: { readonly token: string };
  const change = (given: object) => call("PATCH", "/api/me", { ...own, body: given });
  beforeEach(async () => {
    own = { token: await makePersonalToken(storage, { id: "anna" }) };
  });

  it("is shown, and mailed a link that confirms it", async () => {
    expect((await call("GET", "/api/me", own)).json).toMatchObject({
      mail: null,
      mail_confirmed: false,
      digest: "off",
    });
    const changed = await change({ mail: "anna@example.org", digest: "daily" });
    expect([changed.status, changed.json]).toEqual([
      200,
      expect.objectContaining({ mail: "anna@example.org", mail_confirmed: false, digest: "daily" }),
    ]);
    expect(mails).toMatchObject([{ kind: "confirmation", to: "anna@example.org" }]);
    expect((await call("GET", "/api/me", own)).json).toMatchObject({ digest: "daily" });
  });

  it("stays confirmed until it is another, and is confirmed again then", async () => {
    await changeStored(storage, { ...(await stored()), mail: "anna@example.org", mailConfirmed: true });
    expect((await change({ mail: "anna@example.org" })).json).toMatchObject({ mail_confirmed: true });
    expect(mails).toEqual([]);
    expect((await change({ mail: "anna@example.com" })).json).toMatchObject({ mail_confirmed: false });
    expect(mails.map(({ to }) => to)).toEqual(["anna@example.com"]);
    const patched = await call("PATCH", "/api/people/anna", { body: { mail: "anna@example.org" } });
    expect(patched.json).toMatchObject({ mail_confirmed: false });
  });

  it.each([
    ["mail", { mail: "anna" }],
    ["mail", { mail: "anna@example.org,eve@example.org" }],
    ["mail", { mail: "anna@example.org\r\nBcc: eve@example.org" }],
    ["mail", {}],
    ["digest", { digest: "hourly" }],
    ["theme", { theme: "blue" }],
    ["languages.1", { languages: ["fr", "not a language"] }],
  ])("refuses a wrong %s: %j", async (field, wrong) => {
    const { status, json } = await change(wrong);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
    expect(mails).toEqual([]);
  });

  it("is mailed at most five links an hour", async () => {
    for (let i = 0; i < 5; i++) expect((await change({ mail: "anna@example.org" })).status).toBe(200);
    expect((await change({ mail: "ANNA@example.org" })).status).toBe(429);
    expect(mails).toHaveLength(5);
  });

  it("leads to ten mails an hour, whichever addresses it is", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await change({ mail: `anna${i}@example.org` })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    expect(mails).toHaveLength(10);
  });

  it("is what the identity provider says, for its persons", async () => {
    const identity = {
      iss: "https://login.example.org",
      sub: "1",
      signedIn: new Date(clock.now).toISOString(),
    };
    await changeStored(storage, { ...(await stored()), mail: "anna@example.org", identity });
    expect((await change({ mail: "other@example.org" })).status).toBe(422);
    expect((await change({ mail: "anna@example.org" })).status).toBe(200);
    expect(mails.map(({ to }) => to)).toEqual(["anna@example.org"]);
  });

  it("is nothing for a token of nobody", async () => {
    expect((await call("GET", "/api/me")).json).toMatchObject({ mail: null, digest: "off" });
    const refused = await call("PATCH", "/api/me", { body: { digest: "off" } });
    expect([refused.status, refused.json.code]).toEqual([403, "no_person"]);
  });
});

describe("the link that ends digests", () => {
  const click = async (path: string, sent = "List-Unsubscribe=One-Click") =>
    appOn(storage, { publicUrl }).app.fetch(
      new Request(`${publicUrl}${path}`, {
        method: "POST",
        headers: { host: "skep.example", "content-type": "application/x-www-form-urlencoded" },
        body: sent,
      }),
    );

  it("works with one request, without signing in, and again", async () => {
    const made = await makePerson(storage, { id: "anna" });
    const anna = { ...made, mail: "anna@example.org", mailConfirmed: true, digest: "daily" } as const;
    await changeStored(storage, anna);
    const path = await unsubscribePath(storage, anna);
    for (let i = 0; i < 2; i++) {
      expect((await click(path)).status).toBe(200);
      expect((await stored()).digest).toBeUndefined();
    }
    const audit = (await call("GET", "/api/audit?event=person_changed")).json.data;
    expect(audit).toMatchObject([{ person: "anna", before: { digest: "daily" }, after: {} }]);
    const page = await click(path, "");
    expect([page.status, page.headers.get("location")]).toEqual([303, `.${path}`]);
  });

  it("is refused when it was changed, or is for another address", async () => {
    const made = await makePerson(storage, { id: "anna" });
    const anna = { ...made, mail: "anna@example.org", mailConfirmed: true, digest: "daily" } as const;
    await changeStored(storage, anna);
    const path = await unsubscribePath(storage, anna);
    expect((await click(`${path}x`)).status).toBe(404);
    expect((await click("/unsubscribe")).status).toBe(404);
    await changeStored(storage, { ...anna, mail: "other@example.org" });
    expect((await click(path)).status).toBe(404);
    expect((await stored()).digest).toBe("daily");
  });
});
