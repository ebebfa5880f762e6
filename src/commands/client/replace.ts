/** `skep replace`: finds text in translations, and puts another in its place. */
import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { ReplaceQuery, ReplaceResult } from "../../client/api/translations-api.ts";
import { searchedStates } from "../../domain/queries/string-search.ts";
import { counted } from "../../domain/text.ts";
import { print, printNotice } from "../output/print.ts";
import { onOneLine, wordDiff } from "../output/terminal.ts";
import { stdoutPaint } from "./changes.ts";
import { clientCommand, isConfirmed, printJson, runOnHive } from "./client-command.ts";

export function replaceCommand(): CommandUnknownOpts {
  return clientCommand("replace")
    .argument("<find>", "plain text to find, such as a word")
    .argument("<with>", 'what comes in its place; "" takes it away')
    .option("--locale <code>", "only translations into this locale (default: all that you may write)")
    .option("--file <name...>", "only strings of these files of the Hive")
    .option("--tag <tag...>", "only strings with one of these tags in their notes")
    .option("--search <text>", "only strings whose key, source text or translation contains this")
    .addOption(
      new Option("--state <state>", "only strings whose translation is in this state").choices(
        searchedStates,
      ),
    )
    .option("--whole-word", "find it as whole words only", false)
    .option("--case", "upper and lower case make a difference", false)
    .option("--dry-run", "show the changes without making them", false)
    .option("--yes", "replace without asking", false)
    .action(async (find, replace, { locale, file: files, tag: tags, search: q, state, ...flags }) => {
      const query: ReplaceQuery = {
        find,
        replace,
        whole_word: flags.wholeWord,
        case: flags.case,
        locale,
        files,
        tags,
        q,
        state,
      };
      const refusal = "Nothing was replaced: give --yes to replace it, or --dry-run to only show it.";
      await runOnHive(flags, "write", async ({ hive }) => {
        const planned = await hive.translations.previewReplacement(query);
        const { items = [] } = planned;
        const left = items.filter(({ code }) => code === undefined);
        if (!flags.json) printPlan(planned);
        const what = counted(left.length, "translation");
        const isSent =
          !flags.dryRun && left.length > 0 && (await isConfirmed(flags, `Replace in ${what}?`, refusal));
        const sent = left.map(({ locale: code, file, key, expected }) => ({
          locale: code,
          file,
          key,
          expected,
        }));
        const done = isSent ? await hive.translations.replace(query, sent) : undefined;
        if (flags.json) {
          const result = done?.data ?? { replaced: 0, changed: 0, refused: planned.refused };
          printJson({ commit: done?.commit ?? null, ...result, more: planned.more, items });
        } else printResult(done?.data, done?.commit);
      });
    });
}

function printPlan({ items = [], more = false }: ReplaceResult): void {
  const paint = stdoutPaint();
  for (const { locale, file, key, before, after, code } of items) {
    if (code !== undefined) continue;
    print(`~ ${locale}, ${onOneLine(file)}: ${onOneLine(key)}: ${wordDiff(before, after, paint)}`);
  }
  for (const { locale, file, key, code, message = code } of items) {
    if (code !== undefined) printNotice(onOneLine(`stays: ${locale}, ${file}: ${key}: ${message ?? ""}`));
  }
  if (items.length === 0) printNotice("Nothing was found.");
  if (more) printNotice("There are more: run the command again for them.");
}

function printResult(done: ReplaceResult | undefined, commit: string | undefined): void {
  if (done === undefined) return print("Nothing was replaced.");
  const { replaced, changed, refused, items = [] } = done;
  for (const { locale, file, key, code, message = code } of items)
    printNotice(onOneLine(`stays: ${locale}, ${file}: ${key}: ${message ?? ""}`));
  if (changed > 0) printNotice(`${counted(changed, "translation")} changed meanwhile, and stays as it is.`);
  if (refused > items.length) printNotice(`${counted(refused - items.length, "translation")} refused.`);
  print(`Replaced in ${counted(replaced, "translation")}, at ${commit?.slice(0, 7) ?? ""}.`);
}
