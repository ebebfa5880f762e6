/** Mails that are kept instead of being sent. */
import { expect } from "vitest";
import { mailTexts } from "../../../src/http/console/mail/mails.tsx";
import type { Mail } from "../../../src/domain/mail.ts";
import { Mailing } from "../../../src/service/mail/mailing.ts";

export const publicUrl = "https://skep.example";

export interface KeptMail extends Mail {
  readonly kind: string;
}

/** A mailing, and the mails that it has posted. */
export function keptMails(url = publicUrl): { readonly mailing: Mailing; readonly mails: KeptMail[] } {
  const mails: KeptMail[] = [];
  const outbox = { post: (mail: Mail, kind: string) => void mails.push({ ...mail, kind }) };
  const log = {
    error: (fields: object, message: string) => expect.fail(`${message} ${JSON.stringify(fields)}`),
  };
  return { mailing: new Mailing({ outbox, texts: mailTexts, publicUrl: url, log }), mails };
}

/** The path and query of the link in the plain text of a mail. */
export function linkIn({ text }: Pick<Mail, "text">, path: string, url = publicUrl): string {
  const link = text.split(/\s+/).find((word) => word.startsWith(`${url}${path}?`));
  if (link === undefined) throw new Error(`no link to ${path} in: ${text}`);
  return link.slice(url.length);
}
