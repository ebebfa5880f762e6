/** Digests: whom they reach, when, and only once. */
import { beforeEach, describe, expect, it } from "vitest";
import { toHiveSlug, toPersonId, toTeamName } from "../../../src/domain/names.ts";
import type { Person } from "../../../src/domain/access/person.ts";
import { createComment } from "../../../src/service/content/comments.ts";
import { authorizeHive, callerOf, hiveWriteContext } from "../../../src/service/access.ts";
import { sendDigests, digestsInBackground } from "../../../src/service/mail/digest.ts";
import { changeOneself } from "../../../src/service/mail/own-mail.ts";
import { changePerson } from "../../../src/service/people/people.ts";
import { authorizeTeam } from "../../../src/service/access.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { eventually } from "../../helpers/eventually.ts";
import { keptMails } from "../../helpers/mail/mailing.ts";
import { changeStored, makePerson, makeServers } from "../../helpers/people/people.ts";
import { ownerGrant } from "../../helpers/people/tokens.ts";
import { harness, makeToken } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
const clock = { now: 0 };
let storage: Storage;
let another: () => Storage;
let anna: Person;
const log = { error: (fields: object) => expect.fail(JSON.stringify(fields)) };

beforeEach(async () => {
  ({ storage, another } = await makeServers(clock));
  const { put } = harness(storage, await makeToken(storage));
  await put({ "a.json": { a: "A" } });
  const made = await makePerson(storage, { id: "anna", abilities: ["read"] });
  anna = await changeStored(storage, {
    ...made,
    mail: "anna@example.org",
    mailConfirmed: true,
    digest: "daily",
  });
  await makePerson(storage, { id: "ben", name: "Ben" });
});

/** Somebody says something about a string. */
async function say(id: string, text = "Hm"): Promise<void> {
  clock.now += 1_000;
  const person = await storage.registry.person(toPersonId(id));
  const caller = (person && (await callerOf(storage, person))) ?? expect.fail();
  const context = hiveWriteContext(storage, authorizeHive(caller, web, "read"));
  await createComment(storage, caller, web, { file: "a.json", key: "a", text }, context);
}

/** Mails what is due now. @returns the mails. */
async function digest(server: Storage = storage) {
  const { mailing, mails } = keptMails();
  const deliver = mailing.sendDigest.bind(mailing);
  await sendDigests({ storage: server, deliver, log }, undefined);
  return mails;
}

const at = (time: string): void => void (clock.now = Date.parse(time));
const answer = async (text: string): Promise<void> => {
  await say("anna");
  await say("ben", text);
};

describe("a digest", () => {
  it("comes each morning at 06:00 UTC with what is new since the last one", async () => {
    at("2026-03-01T06:00:00Z");
    await digest();
    at("2026-03-01T12:00:00Z");
    await answer("First");
    at("2026-03-02T05:59:59Z");
    expect(await digest()).toEqual([]);
    at("2026-03-02T06:00:00Z");
    const [mail, ...others] = await digest();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      to: "anna@example.org",
      kind: "digest",
      subject: "1 change for you in Skep",
    });
    expect(mail?.text).toContain("First");
    expect(mail?.unsubscribe).toMatch(/^https:\/\/skep\.example\/unsubscribe\?code=/);
    at("2026-03-02T13:00:00Z");
    await say("ben", "Second");
    at("2026-03-03T06:00:00Z");
    const [next] = await digest();
    expect(next?.text).toContain("Second");
    expect(next?.text).not.toContain("First");
  });

  it("comes once, whichever server sends it", async () => {
    at("2026-03-01T12:00:00Z");
    await answer("First");
    at("2026-03-02T06:00:00Z");
    const servers = [storage, another(), another()];
    const mails = await Promise.all(servers.map((server) => digest(server).catch(() => [])));
    expect(mails.flat()).toHaveLength(1);
    expect(await digest(another())).toEqual([]);
    at("2026-03-02T23:00:00Z");
    expect(await digest()).toEqual([]);
  });

  it("does not come with nothing in it, nor with what was seen", async () => {
    at("2026-03-01T12:00:00Z");
    expect(await digest()).toEqual([]);
    await answer("Seen");
    const seen = new Date(clock.now).toISOString();
    await storage.inboxes.update(anna.id, (before) => ({ ...before, seen }));
    at("2026-03-02T06:00:00Z");
    expect(await digest()).toEqual([]);
  });

  it("tells what waits when there is more of it", async () => {
    const abilities = ["read", "write"] as const;
    await changePerson(storage, ownerGrant(toTeamName("acme")), "anna", { abilities, locales: ["fr"] });
    const { fill, put } = harness(storage, await makeToken(storage));
    at("2026-03-01T06:00:00Z");
    const [first] = await digest();
    expect(first?.subject).toBe("What waits for you in Skep");
    expect(first?.text).toContain("French: 1 to translate");
    at("2026-03-02T06:00:00Z");
    expect(await digest()).toEqual([]);
    await fill("fr", { "a.json": { a: "Un" } });
    at("2026-03-03T06:00:00Z");
    expect(await digest()).toEqual([]);
    await put({ "a.json": { a: "A", b: "B" } });
    at("2026-03-04T06:00:00Z");
    expect((await digest()).map(({ text }) => text)).toEqual([
      expect.stringContaining("French: 1 to translate"),
    ]);
  });

  it.each<readonly [string, (person: Person) => Person]>([
    ["who has not asked for it", (person) => ({ ...person, digest: undefined })],
    ["whose address is not confirmed", (person) => ({ ...person, mailConfirmed: undefined })],
    ["who is disabled", (person) => ({ ...person, disabled: true })],
  ])("does not come to somebody %s", async (_, change) => {
    at("2026-03-01T12:00:00Z");
    await answer("First");
    await changeStored(storage, change(anna));
    at("2026-03-02T06:00:00Z");
    expect(await digest()).toEqual([]);
  });

  it("does not come to another address that an admin has given", async () => {
    at("2026-03-01T12:00:00Z");
    await answer("First");
    await changePerson(storage, ownerGrant(toTeamName("acme")), "anna", { mail: "other@example.org" });
    at("2026-03-02T06:00:00Z");
    expect(await digest()).toEqual([]);
  });

  it("begins on the next morning after it was asked for", async () => {
    await changeStored(storage, { ...anna, digest: undefined });
    at("2026-03-02T09:00:00Z");
    await answer("First");
    const caller = (await callerOf(storage, anna)) ?? expect.fail();
    const grant = authorizeTeam(caller, "read", false);
    await changeOneself(storage, grant, { digest: "daily" }, keptMails().mailing);
    expect(await digest()).toEqual([]);
    at("2026-03-03T06:00:00Z");
    expect(await digest()).toHaveLength(1);
  });

  it("of one person is made although that of another fails", async () => {
    at("2026-03-01T12:00:00Z");
    await answer("First");
    const ben = (await storage.registry.person(toPersonId("ben"))) ?? expect.fail();
    await changeStored(storage, { ...ben, mail: "ben@example.org", mailConfirmed: true, digest: "daily" });
    await say("anna", "Second");
    at("2026-03-02T06:00:00Z");
    const { mailing, mails } = keptMails();
    const logged: object[] = [];
    await sendDigests({
      storage,
      log: { error: (fields) => void logged.push(fields) },
      deliver: async (to, one) => {
        if (to.startsWith("anna")) throw new Error("no");
        await mailing.sendDigest(to, one);
      },
    });
    expect(mails.map(({ to }) => to)).toEqual(["ben@example.org"]);
    expect(logged).toEqual([expect.objectContaining({ person: "anna" })]);
  });

  it("comes by itself while a server runs", async () => {
    at("2026-03-01T12:00:00Z");
    await answer("First");
    at("2026-03-02T06:00:00Z");
    const { mailing, mails } = keptMails();
    const background = digestsInBackground({ storage, log, deliver: mailing.sendDigest.bind(mailing) });
    await eventually(() => expect(mails).toHaveLength(1));
    await background.stop();
  });
});
