/** The texts of mails: whatever they quote stays text. */
import { describe, expect, it } from "vitest";
import { toLocale } from "../../../../src/domain/hives/locale.ts";
import { isOid, toHiveSlug, toPersonId, toTeamName, type Oid } from "../../../../src/domain/names.ts";
import type { Person } from "../../../../src/domain/access/person.ts";
import { mailTexts } from "../../../../src/http/console/mail/mails.tsx";
import type { ShownEvent } from "../../../../src/service/inbox/inbox.ts";
import type { Digest } from "../../../../src/service/mail/mailing.ts";
import { fileNamed } from "../../../helpers/hive.ts";

const url = "https://skep.example";
const evil = `<script>alert("1")</script>\r\nBcc: eve@example.org\u2028"'&\u202e`;

const person: Person = {
  id: toPersonId("anna"),
  team: toTeamName("acme"),
  name: evil,
  abilities: [],
  hives: "all",
  disabled: false,
  passkeys: [],
  created: "2026-01-01T00:00:00Z",
};

function oid(): Oid {
  const text = "a".repeat(40);
  return isOid(text) ? text : expect.fail();
}

const hive = { slug: toHiveSlug("web"), name: evil };
const at = "2026-01-02T00:00:00.000Z";
const common = { hive, at, file: fileNamed("a.json"), key: evil, item: evil, author: evil };
const events: readonly ShownEvent[] = [
  { ...common, kind: "changed", locale: toLocale("fr"), commit: oid(), before: evil, after: evil },
  { ...common, kind: "changed", locale: toLocale("ar"), commit: oid(), before: evil, after: undefined },
  {
    ...common,
    kind: "rejected",
    locale: toLocale("fr"),
    commit: oid(),
    before: evil,
    after: undefined,
    reason: evil,
  },
  { ...common, kind: "answered", comment: "c", text: evil },
];
const digest: Digest = {
  person,
  events,
  total: 60,
  waiting: [
    {
      hive,
      reviews: 1,
      missing: 1,
      toTranslate: 2,
      questions: 3,
      conflicts: 1,
      locales: [{ locale: toLocale("fr"), reviews: 1, missing: 1, toTranslate: 2 }],
    },
  ],
  unsubscribe: "/unsubscribe?code=abc.def",
};

const link = { person, url: `${url}/invitation?code=a.b` };
const all = {
  invitation: () => mailTexts.invitation(link),
  confirmation: () => mailTexts.confirmation(link),
  reset: () => mailTexts.reset(link),
  digest: () => mailTexts.digest(digest, url),
};

describe.each(Object.entries(all))("the mail of a %s", (kind, make) => {
  it("has what it quotes as text alone", async () => {
    const { subject, text, html } = await make();
    expect(subject).not.toMatch(/[\r\n]/);
    expect(html).not.toMatch(/<script|<\/script/);
    expect(html).toContain("&lt;script&gt;");
    expect(text).toContain(`<script>alert("1")</script>\\r\\nBcc: eve@example.org`);
    // Nothing that is quoted begins a line, or turns what follows around.
    expect(text).not.toMatch(/^Bcc/m);
    expect(text + html).not.toMatch(/[\u2028\u202e]/);
  });

  it("leads to pages of the server alone", async () => {
    const { html, text } = await make();
    const links = Array.from(html.matchAll(/href="([^"]*)"/g), ([, href = ""]) => href);
    expect(links.length).toBeGreaterThan(0);
    for (const href of links) expect(href).toMatch(/^https:\/\/skep\.example\/[^<>\s]*$/);
    for (const [href] of text.matchAll(/https?:\S+/g)) expect(href).toMatch(/^https:\/\/skep\.example\//);
    expect(kind === "digest" || links.includes(link.url)).toBe(true);
  });
});

describe("a digest", () => {
  it("says what others did, what waits, how much more there is, and how it ends", async () => {
    const { subject, text, unsubscribe } = await mailTexts.digest(digest, url);
    expect(subject).toBe("60 changes for you in Skep");
    expect(text).toContain("56 more are in your inbox.");
    expect(text).toMatch(
      /French: 1 to review\n {2}https:\/\/skep\.example\/hives\/web\/translate\/fr\?want=review/,
    );
    expect(text).toMatch(/French: 2 to translate\n {2}https:\/\/skep\.example\/hives\/web\/translate\/fr\n/);
    expect(text).toMatch(/3 open questions\n {2}https:\/\/skep\.example\/hives\/web\/comments\?show=others/);
    expect(text).toMatch(/1 conflict with main\n/);
    expect(unsubscribe).toBe(`${url}/unsubscribe?code=abc.def`);
    expect(text).toContain(`No more of these mails: ${unsubscribe}`);
    expect((await mailTexts.digest({ ...digest, events: [], total: 0 }, url)).subject).toBe(
      "What waits for you in Skep",
    );
  });

  it("has 200 characters of each text, and 50 entries", async () => {
    const long = "x".repeat(5_000);
    const [first = expect.fail()] = events;
    const many = Array.from({ length: 50 }, () => ({
      ...first,
      before: long,
      after: long,
      key: long,
      author: long,
    }));
    const { text, html } = await mailTexts.digest({ ...digest, events: many, total: 200 }, url);
    expect(text).not.toContain("x".repeat(201).concat(" "));
    expect(text.replaceAll(/https:\S+/g, "")).not.toMatch(/x{201}/);
    expect(html.replaceAll(/href="[^"]*"/g, "")).not.toMatch(/x{201}/);
    expect(text.match(/^- /gm)).toHaveLength(50);
    expect(text).not.toContain("to review");
  });
});
