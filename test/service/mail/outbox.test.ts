/** Mails that are sent in the background. */
import { describe, expect, it } from "vitest";
import type { Mail } from "../../../src/domain/mail.ts";
import { MailRefused, Outbox, type MailResult } from "../../../src/service/mail/outbox.ts";
import { eventually } from "../../helpers/eventually.ts";

const mail: Mail = { to: "anna@example.org", subject: "Hello", text: "", html: "" };

/** An outbox whose pauses end when a test says so. @param outcomes of the tries, one after the other; undefined succeeds. */
function outboxOf(outcomes: readonly (Error | undefined)[] = []) {
  const results: MailResult[] = [];
  const logged: object[] = [];
  const pauses: number[] = [];
  let tries = 0;
  const outbox = new Outbox({
    send: async () => {
      const outcome = outcomes[tries++];
      if (outcome !== undefined) throw outcome;
    },
    log: { error: (fields, message) => void logged.push({ ...fields, message }) },
    mailed: (result) => void results.push(result),
    pause: async (ms) => void pauses.push(ms),
  });
  return { outbox, results, logged, pauses };
}

const later = new Error("450 later");

describe("an outbox", () => {
  it("sends a mail, and tries again what fails", async () => {
    const { outbox, results, pauses, logged } = outboxOf([later, later, undefined]);
    outbox.post(mail, "digest");
    await eventually(() => expect(outbox.size).toBe(0));
    expect(results).toEqual(["failed", "failed", "sent"]);
    expect(pauses).toEqual([30_000, 120_000]);
    expect(logged).toEqual([
      { kind: "digest", error: "450 later", attempts: 1, retry_in: 30, message: "could not send a mail" },
      { kind: "digest", error: "450 later", attempts: 2, retry_in: 120, message: "could not send a mail" },
    ]);
  });

  it("gives up after five tries, and at once what is refused", async () => {
    const { outbox, results } = outboxOf(Array.from({ length: 9 }, () => later));
    outbox.post(mail, "digest");
    await eventually(() => expect(outbox.size).toBe(0));
    expect(results).toEqual(["failed", "failed", "failed", "failed", "failed"]);
    const refused = outboxOf([new MailRefused("550 nobody")]);
    refused.outbox.post(mail, "digest");
    await eventually(() => expect(refused.outbox.size).toBe(0));
    expect([refused.results, refused.pauses]).toEqual([["refused"], []]);
  });

  it("sends four at once, and drops what is more than a thousand", async () => {
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const results: MailResult[] = [];
    const outbox = new Outbox({
      send: async () => {
        most = Math.max(most, ++running);
        await new Promise<void>((end) => void ends.push(end));
        running--;
      },
      log: { error: () => undefined },
      mailed: (result) => void results.push(result),
    });
    for (let i = 0; i < 1_002; i++) outbox.post(mail, "digest");
    expect(results).toEqual(["dropped", "dropped"]);
    while (outbox.size > 0) {
      await eventually(() => expect(ends.length).toBeGreaterThan(0));
      for (const end of ends.splice(0)) end();
      await new Promise((turn) => void setImmediate(turn));
    }
    expect(most).toBe(4);
    expect(results.filter((result) => result === "sent")).toHaveLength(1_000);
  });

  it("gives up what waits when the server ends, and takes no more", async () => {
    const results: MailResult[] = [];
    const log = { error: () => undefined };
    const outbox = new Outbox({
      send: () => Promise.reject(later),
      log,
      mailed: (one) => void results.push(one),
    });
    outbox.post(mail, "digest");
    await eventually(() => expect(results).toEqual(["failed"]));
    await outbox.stop();
    expect(outbox.size).toBe(0);
    outbox.post(mail, "digest");
    expect([outbox.size, results]).toEqual([0, ["failed", "dropped"]]);
  });
});
