/** Mails as a mail server gets them. */
import { describe, expect, it } from "vitest";
import type { Mail } from "../../../src/domain/mail.ts";
import { MailRefused } from "../../../src/service/mail/outbox.ts";
import { smtpSender, type SmtpOptions } from "../../../src/service/mail/smtp.ts";
import { eventually } from "../../helpers/eventually.ts";
import { headerOf, partOf, startMailServer } from "../../helpers/mail/mail-server.ts";

const from = { name: "Skep", address: "skep@example.org" };
const mail: Mail = { to: "anna@example.org", subject: "Hello", text: "Text\n", html: "<p>Text</p>" };

const send = (
  options: Partial<SmtpOptions> & Pick<SmtpOptions, "url">,
  more: Partial<Mail> = {},
  signal?: AbortSignal,
) =>
  smtpSender({ password: undefined, from, ...options })(
    { ...mail, ...more },
    signal ?? new AbortController().signal,
  );

describe("a mail", () => {
  it("has both forms of its text, and says that it comes from a program", async () => {
    const { url, mails } = await startMailServer();
    await send({ url }, { text: "Tschüß, 世界\n", html: "<p>Tschüß</p>" });
    expect(mails).toHaveLength(1);
    const [got = expect.fail()] = mails;
    expect([got.from, got.to]).toEqual(["skep@example.org", ["anna@example.org"]]);
    expect(headerOf(got, "From")).toBe("Skep <skep@example.org>");
    expect(headerOf(got, "To")).toBe("anna@example.org");
    expect(headerOf(got, "Subject")).toBe("Hello");
    expect(headerOf(got, "Auto-Submitted")).toBe("auto-generated");
    expect(headerOf(got, "List-Unsubscribe")).toBeUndefined();
    expect(partOf(got, "text/plain").trim()).toBe("Tschüß, 世界");
    expect(partOf(got, "text/html").trim()).toBe("<p>Tschüß</p>");
  });

  it("can be ended with one click where it says how", async () => {
    const { url, mails } = await startMailServer();
    await send({ url }, { unsubscribe: "https://skep.example.org/unsubscribe?code=a.b%2Dc" });
    const [got = expect.fail()] = mails;
    expect(headerOf(got, "List-Unsubscribe")).toBe("<https://skep.example.org/unsubscribe?code=a.b%2Dc>");
    expect(headerOf(got, "List-Unsubscribe-Post")).toBe("List-Unsubscribe=One-Click");
  });

  it.each([
    ["subject", { subject: "Hi\r\nBcc: eve@example.org\r\n\r\nBody" }],
    ["recipient", { to: "anna@example.org\r\nBcc: eve@example.org" }],
    ["recipients", { to: "anna@example.org, eve@example.org" }],
    ["unsubscribe", { unsubscribe: "https://a.example/\r\nBcc: eve@example.org" }],
  ])("gets no header and no recipient by its %s", async (_, more) => {
    const { url, mails, commands } = await startMailServer();
    await send({ url }, more).catch(() => undefined);
    expect(commands.filter((line) => /^RCPT TO:<eve@/i.test(line))).toEqual([]);
    expect(mails.map((got) => headerOf(got, "Bcc"))).toEqual(mails.map(() => undefined));
    expect(mails.every(({ to }) => to.length === 1)).toBe(true);
  });
});

describe("a mail server", () => {
  it.each([
    ["for good", "RCPT TO", "550 no such person", true],
    ["for good, by its content", "end of the mail", "554 spam", true],
    ["for now", "RCPT TO", "451 try later", false],
    ["for now, at the door", "connected", "421 too busy", false],
  ])("refuses a mail %s", async (_, command, answer, isForGood) => {
    const said = (line: string) => line.startsWith(command) && answer;
    const { url, mails } = await startMailServer({ answer: said });
    const sent = send({ url });
    await expect(sent).rejects.toThrow();
    expect(await sent.catch((error: unknown) => error instanceof MailRefused)).toBe(isForGood);
    expect(mails.length).toBe(command === "end of the mail" ? 1 : 0);
  });

  it("that says nothing is left when the time is over, and no connection stays", async () => {
    const { url, open } = await startMailServer({ answer: () => undefined });
    const late = new AbortController();
    const sent = send({ url }, {}, late.signal);
    await eventually(() => expect(open()).toBe(1));
    late.abort(new Error("too late"));
    await expect(sent).rejects.toThrow("too late");
    await eventually(() => expect(open()).toBe(0));
  });

  it("that is not there is no refusal for good", async () => {
    const sent = send({ url: new URL("smtp://127.0.0.1:1") });
    expect(await sent.catch((error: unknown) => error instanceof MailRefused)).toBe(false);
  });

  it("gets a password on this machine, and beyond it over TLS alone", async () => {
    const offers = (line: string) =>
      /^EHLO/i.test(line)
        ? "250-localhost\r\n250 AUTH PLAIN"
        : /^AUTH/i.test(line)
          ? "235 ok"
          : line === "STARTTLS" && "502 no";
    const { url, commands, mails } = await startMailServer({ answer: offers });
    url.username = "skep";
    await send({ url, password: "secret" });
    expect(commands.filter((line) => line.startsWith("AUTH"))).toEqual([
      `AUTH PLAIN ${Buffer.from("\0skep\0secret").toString("base64")}`,
    ]);
    expect(mails).toHaveLength(1);
    // The same machine by a name that is not known to be it.
    const elsewhere = new URL(url.href.replace("127.0.0.1", "0.0.0.0"));
    await expect(send({ url: elsewhere, password: "secret" })).rejects.toThrow();
    expect(commands.filter((line) => line.startsWith("AUTH"))).toHaveLength(1);
  });
});
