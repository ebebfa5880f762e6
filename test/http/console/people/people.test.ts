/** The page of persons: their roles, their languages, and their invitations. */
import { expect, it } from "vitest";
import { toPersonId } from "../../../../src/domain/names.ts";
import { makePerson } from "../../../helpers/people/people.ts";
import { makeHive, makeToken, memoryStorage } from "../../../helpers/storage.ts";
import { browse, host, signedIn } from "../browse.ts";

const publicUrl = `http://${host}`;
const admin = { abilities: ["admin"] } as const;

async function open() {
  const storage = memoryStorage();
  await makeHive(storage, "web", { locales: ["fr", "pt-BR"] });
  await makeHive(storage, "app", { locales: ["fr", "ja"] });
  const browser = browse(storage, { publicUrl });
  await browser.signIn(await makeToken(storage, admin));
  return { storage, browser };
}

it("makes a person with a role and languages, and shows the link of the invitation", async () => {
  const { browser, storage } = await open();
  const form = (await browser.get("/team/people")).html;
  const boxes = form.matchAll(/name="locales" value="([^"]*)"\/?> ([^<]*)</g);
  expect(Array.from(boxes, ([, code, name]) => [code, name])).toEqual([
    ["pt-BR", "Brazilian Portuguese (pt-BR)"],
    ["fr", "French (fr)"],
    ["ja", "Japanese (ja)"],
  ]);
  // Nothing of the hidden boxes is taken where a role is chosen.
  const sent = { id: "anna", name: "Anna", role: "reviewer", abilities: "read", invite: "true" };
  const made = await browser.submit("/team/people", { ...sent, locales: "ja" });
  expect(made.text).toContain("Created. Copy the link now");
  expect(made.html).toContain(`${publicUrl}/invitation?code=anna.`);
  expect(await storage.registry.person(toPersonId("anna"))).toMatchObject({
    abilities: ["read", "write", "approve"],
    locales: ["ja"],
  });
  expect((await browser.get("/team/people")).text).toContain("Anna anna Reviewer, only into ja all");
});

it("makes a person with other abilities, who is not invited, and gives them a role later", async () => {
  const { browser, storage } = await open();
  const made = await browser.submit("/team/people", {
    id: "max",
    name: "Max",
    role: "",
    abilities: "approve",
  });
  expect(made.status).toBe(303);
  const max = () => storage.registry.person(toPersonId("max"));
  expect(await max()).toMatchObject({ abilities: ["approve"] });
  expect(await max()).not.toHaveProperty("invitation");
  const { html, text } = await browser.get("/team/people/max");
  expect(html).toContain('<option value="" selected="">Custom…</option></select>');
  const list = await browser.get("/team/people");
  expect(list.html).toMatch(
    /<option value="translator" selected.*<option value="">Custom…<\/option><\/select>/,
  );
  expect(text).not.toContain("Invite them now");
  const change = { change: "max", members: "role abilities", role: "lead", abilities: "approve" };
  expect((await browser.submit("/team/people", change)).status).toBe(303);
  expect(await max()).toMatchObject({ abilities: ["read", "write", "approve", "admin"] });
  expect((await browser.get("/team/people/max")).html).toContain('<option value="lead" selected');
});

it("keeps a language that no Hive has any more", async () => {
  const { browser, storage } = await open();
  await makePerson(storage, { locales: ["fr", "de"] });
  const { html } = await browser.get("/team/people/anna");
  const checked = Array.from(html.matchAll(/name="locales" value="([^"]*)" checked/g), ([, code]) => code);
  expect(checked).toEqual(["fr", "de"]);
});

it("does not offer to invite where the server does not know its address", async () => {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  const browser = await signedIn(storage, admin);
  expect((await browser.get("/team/people")).html).not.toContain('name="invite"');
});
