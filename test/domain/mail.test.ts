/** Addresses to which mails may go. */
import { describe, expect, it } from "vitest";
import { isMailable, toMailbox } from "../../src/domain/mail.ts";

describe("an address", () => {
  it.each(["anna@example.org", "a.b+c@sub.example.org", "root@localhost", "o'hara_1@x-y.example"])(
    "is %s",
    (text) => expect(isMailable(text)).toBe(true),
  );

  it.each([
    "",
    "anna",
    "anna@",
    "@example.org",
    "anna@@example.org",
    "anna@example.org,eve@example.org",
    "anna@example.org eve@example.org",
    "anna@example.org\r\nBcc: eve@example.org",
    "anna@example.org\n",
    '"anna"@example.org',
    "Anna <anna@example.org>",
    "anna@-example.org",
    "anna@exa_mple.org",
    "anna@example..org",
    "anna@[127.0.0.1]",
    "änna@example.org",
    `${"a".repeat(65)}@example.org`,
    `a@${"b.".repeat(126)}org`,
  ])("is not %j", (text) => expect(isMailable(text)).toBe(false));
});

describe("what mails come from", () => {
  it.each([
    ["skep@example.org", { address: "skep@example.org" }],
    ["Skep <skep@example.org>", { name: "Skep", address: "skep@example.org" }],
    [
      "Our translations, Skep <skep@example.org>",
      { name: "Our translations, Skep", address: "skep@example.org" },
    ],
    ["<skep@example.org>", { address: "skep@example.org" }],
  ])("is %s", (text, expected) => expect(toMailbox(text)).toEqual(expected));

  it.each(["Skep", "Skep <skep>", "Skep <a@example.org>, b@example.org", "Skep\r\nX: y <a@example.org>"])(
    "is not %j",
    (text) => expect(toMailbox(text)).toBeUndefined(),
  );
});
