/**
 * Sends mails in the background, some at a time. What cannot be sent is tried again for an hour or two; it is in memory
 * alone, since a mail that comes after a restart hours later helps nobody. A dead mail server delays nothing else.
 */
import { setTimeout as wait } from "node:timers/promises";
import { withTimeout } from "../../deadline.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { messageOf } from "../../domain/errors.ts";
import type { Mail } from "../../domain/mail.ts";
import type { Log } from "../../log.ts";
import type { Background } from "../background.ts";

/** A mail server has refused a mail for good. */
export class MailRefused extends Error {}

/**
 * Gives a mail to a mail server.
 * @throws MailRefused when the server never takes it; any other error when it may later.
 */
export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<void>;

export type MailResult = "sent" | "failed" | "refused" | "dropped";

interface OutboxOptions {
  readonly send: SendMail;
  readonly log: Pick<Log, "error">;
  /** Called for each try, and for each mail that is given up without one. */
  readonly mailed?: (result: MailResult) => void;
  /** Waits, unless it is stopped. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How many mails may wait; more are dropped. */
const maxWaiting = 1_000;
const maxAtOnce = 4;
/** How long one try may take. */
const tryMs = 60_000;
/** How long is waited after each try. */
const retriesMs = [30_000, 120_000, 600_000, 3_600_000];
/** How long the mails that are being sent may take when the server ends. */
const endMs = 5_000;

export class Outbox implements Background {
  readonly #options: OutboxOptions;
  readonly #stopping = new AbortController();
  readonly #aborting = new AbortController();
  readonly #places = new Semaphore(maxAtOnce);
  readonly #mails = new Set<Promise<void>>();

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** How many mails wait or are being sent. */
  get size(): number {
    return this.#mails.size;
  }

  /** Takes a mail, and sends it soon. It never throws. @param kind of the mail, for the log. */
  post(mail: Mail, kind: string): void {
    const { mailed, log } = this.#options;
    if (this.size >= maxWaiting || this.#stopping.signal.aborted) {
      log.error({ kind }, "dropped a mail: too many wait to be sent");
      mailed?.("dropped");
      return;
    }
    const work = this.#deliver(mail, kind).finally(() => this.#mails.delete(work));
    this.#mails.add(work);
  }

  async #deliver(mail: Mail, kind: string): Promise<void> {
    const { pause = sleep, log, mailed } = this.#options;
    for (const [i, ms] of [...retriesMs, undefined].entries()) {
      const outcome = await this.#try(mail);
      mailed?.(outcome.result);
      if (outcome.result === "sent") return;
      const isLast = ms === undefined || outcome.result === "refused";
      const fields = { kind, error: outcome.error, attempts: i + 1 };
      log.error(isLast ? fields : { ...fields, retry_in: ms / 1000 }, "could not send a mail");
      if (isLast) return;
      await pause(ms, this.#stopping.signal).catch(() => undefined);
      if (this.#stopping.signal.aborted) return;
    }
  }

  #try(mail: Mail): Promise<{ readonly result: "sent" | "failed" | "refused"; readonly error?: string }> {
    return this.#places.run(async () => {
      try {
        this.#stopping.signal.throwIfAborted();
        await this.#options.send(mail, withTimeout(this.#aborting.signal, tryMs));
        return { result: "sent" };
      } catch (error) {
        return { result: error instanceof MailRefused ? "refused" : "failed", error: messageOf(error) };
      }
    });
  }

  /** Ends it: mails that are being sent have some seconds, and those that wait are given up. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const late = new AbortController();
    void sleep(endMs, late.signal).then(
      () => this.#aborting.abort(),
      () => undefined,
    );
    await Promise.all(this.#mails);
    late.abort();
  }
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal, ref: false });
}
