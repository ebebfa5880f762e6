/** The mails of the settings: what is missing or wrong ends the start, and a mail goes the whole way. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openMail } from "../../../src/commands/serve/mail.ts";
import { toConfig } from "../../../src/config/settings.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import type { MailResult } from "../../../src/service/mail/outbox.ts";
import { eventually } from "../../helpers/eventually.ts";
import { headerOf, partOf, startMailServer } from "../../helpers/mail/mail-server.ts";
import { makePerson } from "../../helpers/people/people.ts";
import { realFolder, setUpWeb } from "../../helpers/storage.ts";

const texts = {
  smtpUrl: "smtp://localhost:25",
  mailFrom: "Skep <skep@example.org>",
  publicUrl: "https://skep.example.org",
};
const results: MailResult[] = [];
const logged: string[] = [];
const parts = {
  log: { error: (_: object, message: string) => void logged.push(message) },
  mailed: (result: MailResult) => void results.push(result),
};

const passwordFile = (text: string): string => {
  const path = join(realFolder(), "password");
  writeFileSync(path, text);
  return path;
};

describe("the mails of the settings", () => {
  it("are none without a mail server", async () => {
    expect(await openMail(toConfig({ ...texts, smtpUrl: "off" }), parts)).toBeUndefined();
  });

  it.each([
    ["--mail-from", { mailFrom: "none" }],
    ["--public-url", { publicUrl: "off" }],
    ["--smtp-password-file", { smtpUrl: "smtp://skep@localhost:25" }],
    ["/nowhere/password cannot be read", { smtpPasswordFile: "/nowhere/password" }],
    ["does not hold the password", { smtpPasswordFile: passwordFile(" \n") }],
  ])("need %s", async (what, wrong) => {
    const opening = openMail(toConfig({ ...texts, ...wrong }), parts);
    await expect(opening).rejects.toThrow(what);
    expect(await opening.catch((error: unknown) => isFailure(error, "conflict"))).toBe(true);
  });

  it("go to the mail server with the password of the file, and are counted", async () => {
    const answers = (line: string) =>
      /^EHLO/i.test(line) ? "250-localhost\r\n250 AUTH PLAIN" : /^AUTH/i.test(line) && "235 ok";
    const { url, mails, commands } = await startMailServer({ answer: answers });
    const smtpUrl = url.href.replace("//", "//skep@");
    const config = toConfig({ ...texts, smtpUrl, smtpPasswordFile: passwordFile("se cret\n") });
    const mail = (await openMail(config, parts)) ?? expect.fail();
    const { storage } = await setUpWeb();
    const person = await makePerson(storage, { name: "Änne\r\nBcc: eve@example.org <b>" });
    const link = { person, url: mail.mailing.urlOf("/invitation?code=a.b") };
    await mail.mailing.sendLink("invitation", "anna@example.org", link);
    await eventually(() => expect(mails).toHaveLength(1));
    const [got = expect.fail()] = mails;
    expect(got.to).toEqual(["anna@example.org"]);
    expect(headerOf(got, "Bcc")).toBeUndefined();
    expect(headerOf(got, "Subject")).toBe("Your invitation to Skep");
    expect(partOf(got, "text/plain")).toContain("https://skep.example.org/invitation?code=a.b");
    expect(partOf(got, "text/html")).not.toContain("<b>");
    const [, sent = ""] = /^AUTH PLAIN (.*)$/m.exec(commands.join("\n")) ?? [];
    expect(Buffer.from(sent, "base64").toString()).toBe("\0skep\0se cret");
    await eventually(() => expect(results).toEqual(["sent"]));
    await mail.start(storage).stop();
    expect(logged).toEqual([]);
  });
});
