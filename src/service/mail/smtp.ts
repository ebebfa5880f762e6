/** Speaks SMTP, by nodemailer, which is loaded with the first mail. */
import type { Mail, Mailbox } from "../../domain/mail.ts";
import { isLoopback } from "../../domain/url-path.ts";
import { onDemand } from "../../on-demand.ts";
import { MailRefused, type SendMail } from "./outbox.ts";

export interface SmtpOptions {
  /** `smtp://` or `smtps://`, with the user if there is one. */
  readonly url: URL;
  readonly password: string | undefined;
  readonly from: Mailbox;
}

/** How long connecting, the greeting, and each silence may take. */
const connectMs = 10_000;
const silenceMs = 20_000;

const loadMailer = onDemand(async () => {
  const [{ default: connection }, { default: composer }] = await Promise.all([
    import("nodemailer/lib/smtp-connection"),
    import("nodemailer/lib/mail-composer"),
  ]);
  return { SmtpConnection: connection, MailComposer: composer };
});

/**
 * Makes a function that gives mails to a mail server, each by a connection of its own. Beyond this machine, a password goes
 * over TLS alone.
 */
export function smtpSender({ url, password, from }: SmtpOptions): SendMail {
  const isSecure = url.protocol === "smtps:";
  const user = decodeURIComponent(url.username);
  const options = {
    host: url.hostname.replaceAll(/^\[|\]$/g, ""),
    port: url.port === "" ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    requireTLS: !isSecure && user !== "" && !isLoopback(url.hostname),
    dnsTimeout: connectMs,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    // What is closed is gone at once.
    socketCloseTimeout: 0,
  };
  return async (mail, signal) => {
    const { SmtpConnection, MailComposer } = await loadMailer();
    const content = await new MailComposer(messageOf(mail, from)).compile().build();
    signal.throwIfAborted();
    const connection = new SmtpConnection(options);
    try {
      await new Promise<void>((resolve, reject) => {
        const orFail = (next: () => void) => (error?: Error | null) => (error ? reject(error) : next());
        signal.addEventListener("abort", () => reject(asError(signal.reason)), { once: true });
        connection.on("error", reject);
        connection.on("end", () => reject(new Error("the mail server closed the connection")));
        const send = (): void =>
          connection.send({ from: from.address, to: [mail.to] }, content, orFail(resolve));
        const logIn = (): void =>
          user === "" ? send() : connection.login({ user, pass: password ?? "" }, orFail(send));
        connection.connect(orFail(logIn));
      });
    } catch (error) {
      throw isForGood(error) ? new MailRefused(error.message, { cause: error }) : error;
    } finally {
      connection.close();
    }
  };
}

function messageOf({ to, subject, text, html, unsubscribe }: Mail, from: Mailbox) {
  const url = unsubscribe === undefined ? undefined : new URL(unsubscribe).href;
  return {
    from: { name: from.name ?? "", address: from.address },
    to: { name: "", address: to },
    subject,
    text,
    html,
    headers: {
      // Nobody is to answer it, neither a person nor a program.
      "Auto-Submitted": "auto-generated",
      ...(url !== undefined && {
        "List-Unsubscribe": { prepared: true, value: `<${url}>` },
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** Whether a mail server will never take a mail: it does not take the sender, the recipient or the content. */
function isForGood(error: unknown): error is Error {
  if (!(error instanceof Error) || !("code" in error) || !("responseCode" in error)) return false;
  const isOfMail = error.code === "EENVELOPE" || error.code === "EMESSAGE";
  return isOfMail && typeof error.responseCode === "number" && error.responseCode >= 500;
}
