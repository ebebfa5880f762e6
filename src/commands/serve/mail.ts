/** The mails of the server, from its settings. */
import { readFile } from "node:fs/promises";
import type { ServeConfig } from "../../config/settings.ts";
import { failure } from "../../domain/errors.ts";
import type { ServerLog } from "../../observability/server-log.ts";
import type { Background } from "../../service/background.ts";
import { digestsInBackground } from "../../service/mail/digest.ts";
import { Mailing } from "../../service/mail/mailing.ts";
import { Outbox, type MailResult } from "../../service/mail/outbox.ts";
import { smtpSender } from "../../service/mail/smtp.ts";
import type { Storage } from "../../service/storage.ts";

export interface ServedMail {
  readonly mailing: Mailing;
  /** Begins to send digests. Its end is the end of all mails. */
  readonly start: (storage: Storage) => Background;
}

interface MailParts {
  readonly log: Pick<ServerLog, "error">;
  readonly mailed?: (result: MailResult) => void;
}

/**
 * The mails of the settings; undefined where no mail server takes them. It is asked for nothing yet.
 * @throws SkepError `conflict` when a setting or a file is missing.
 */
export async function openMail(
  { smtpUrl: url, smtpPasswordFile, mailFrom: from, publicUrl }: ServeConfig,
  { log, mailed }: MailParts,
): Promise<ServedMail | undefined> {
  if (url === undefined) return undefined;
  if (from === undefined) throw missing("--mail-from");
  if (publicUrl === undefined) throw missing("--public-url");
  if (url.username !== "" && smtpPasswordFile === undefined)
    throw missing("--smtp-password-file for its user");
  const password = smtpPasswordFile === undefined ? undefined : await readPassword(smtpPasswordFile);
  const outbox = new Outbox({ send: smtpSender({ url, password, from }), log, mailed });
  const { mailTexts } = await import("../../http/console/mail/mails.tsx");
  const mailing = new Mailing({ outbox, texts: mailTexts, publicUrl, log });
  const start = (storage: Storage): Background => {
    const digests = digestsInBackground({
      storage,
      log,
      deliver: (to, digest) => mailing.sendDigest(to, digest),
    });
    return {
      stop: async () => {
        await digests.stop();
        await outbox.stop();
      },
    };
  };
  return { mailing, start };
}

async function readPassword(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw failure("conflict", `${path} cannot be read.`, { cause });
  }
  if (text.trim() === "") throw failure("conflict", `${path} does not hold the password.`);
  return text.replace(/\r?\n$/, "");
}

function missing(flag: string): Error {
  return failure("conflict", `--smtp-url needs ${flag}.`);
}
