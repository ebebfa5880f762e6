/** `skep review`: lists the translations that wait for a review, approves and rejects them. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import type { WaitingText } from "../../client/api/review-api.ts";
import { counted } from "../../domain/text.ts";
import { print, printList, printNotice, type Columns } from "../output/print.ts";
import { onOneLine, wordDiff } from "../output/terminal.ts";
import {
  clientGroup,
  clientPart,
  isConfirmed,
  printJson,
  runOnHive,
  type ClientFlags,
} from "./client-command.ts";

const stringsHelp = "files, or keys with their files, such as auth.json:failed";

export function reviewCommand(): CommandUnknownOpts {
  const review = clientGroup("review");
  clientPart(review, "list", "List the translations that wait, with the texts that were approved last.", true)
    .argument("[strings...]", stringsHelp)
    .option("--locale <code>", "only translations into this locale")
    .action(async (strings, { locale, ...flags }) => {
      const { listWaiting } = await import("../../client/review/review.ts");
      const found = await runOnHive(flags, "read", ({ hive }) => listWaiting(hive, locale, strings));
      const { texts } = found;
      if (!flags.json) warnOf(found.unknown);
      printList(texts, flags.json, columns, { empty: "No translation waits for a review." });
      if (flags.json || texts.length === 0) return;
      printNotice(`${counted(texts.length, "translation")} ${texts.length === 1 ? "waits" : "wait"}.`);
    });
  decisionCommand(
    review,
    "approve",
    "Approve translations: they do not wait any more, and stale ones are confirmed.",
  );
  decisionCommand(
    review,
    "reject",
    "Reject translations: the text that was approved last comes back; without one, the translation is removed.",
  ).requiredOption("--reason <text>", "why, for whoever wrote them; becomes the message of the commit");
  return review;
}

interface DecisionFlags extends ClientFlags {
  readonly locale: string;
  readonly all: boolean;
  readonly yes: boolean;
  /** Of a rejection. */
  readonly reason?: string;
}

function decisionCommand(parent: CommandUnknownOpts, name: "approve" | "reject", description: string) {
  return clientPart(parent, name, description, true)
    .argument("[strings...]", stringsHelp)
    .requiredOption("--locale <code>", "the locale")
    .option("--all", "all that wait in the locale, instead of some strings", false)
    .option("--yes", "with --all: do not ask", false)
    .action(async (strings, flags: DecisionFlags) => {
      if (flags.all === strings.length > 0)
        throw new ClientError("misuse", `Name the strings to ${name}, or give --all.`);
      const { listWaiting, review } = await import("../../client/review/review.ts");
      const { unknown, ...done } = await runOnHive(flags, "write", async ({ hive }) => {
        const found = await listWaiting(hive, flags.locale, strings);
        const what = `${counted(found.texts.length, "translation")} into ${flags.locale}`;
        const question = `${name === "approve" ? "Approve" : "Reject"} ${what}?`;
        const refusal = `Nothing was done: give --yes to ${name} all without being asked.`;
        const isWanted =
          !flags.all || found.texts.length === 0 || (await isConfirmed(flags, question, refusal));
        const texts = isWanted ? found.texts : [];
        return { ...found, ...(await review(hive, texts, flags.reason)) };
      });
      const verb = name === "approve" ? "approved" : "rejected";
      if (flags.json) {
        printJson({ commit: done.commit ?? null, [verb]: done.reviewed, unknown });
        return;
      }
      warnOf(unknown);
      const at = done.commit === undefined ? "" : `, at ${done.commit.slice(0, 7)}`;
      print(`${counted(done.reviewed, `${flags.locale} translation`)} ${verb}${at}.`);
    });
}

function warnOf(unknown: readonly string[]): void {
  for (const name of unknown) printNotice(`skep: ${onOneLine(name)}: does not wait for a review`);
}

const columns: Columns<WaitingText> = {
  LOCALE: ({ locale }) => locale,
  FILE: ({ file }) => file,
  KEY: ({ key }) => onOneLine(key),
  AUTHOR: ({ author }) => onOneLine(author),
  SOURCE: ({ source_value: source }) => onOneLine(source),
  // Since it was approved, if it was.
  TRANSLATION: ({ approved, translation }) =>
    approved === null ? onOneLine(translation) : wordDiff(approved, translation, undefined),
};
