/** `skep glossary`: lists, creates, imports and exports the terms of a Hive. */
import { InvalidArgumentError, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { HiveTerm, TermCounts } from "../../client/api/glossary-api.ts";
import type { ExchangeTranslation } from "../../formats/exchange/exchange-term.ts";
import { matchKinds } from "../../domain/glossary/searched-text.ts";
import { emptyRecord } from "../../domain/record.ts";
import { counted } from "../../domain/text.ts";
import { print, printList, type Columns } from "../output/print.ts";
import { onOneLine } from "../output/terminal.ts";
import { addEarlierFlag } from "../program/command.ts";
import { writeResult } from "../program/output.ts";
import { clientGroup, clientPart, printResult, runOnHive } from "./client-command.ts";

export function glossaryCommand(): CommandUnknownOpts {
  const glossary = clientGroup("glossary");
  clientPart(glossary, "list", "List the terms of the Hive.")
    .option("--search <text>", "only terms with this text in their spelling, meaning or translations")
    .action(async ({ search, ...flags }) => {
      const terms = await runOnHive(flags, "none", ({ hive }) => hive.glossary.list(search));
      const empty =
        search === undefined
          ? "The glossary is empty; skep glossary create adds a term."
          : `No term has the text ${onOneLine(search)}.`;
      printList(terms, flags.json, columns, { empty });
    });
  creating(glossary, "create");
  creating(glossary, "add", true);
  clientPart(glossary, "import", "Merge the terms of a file into the glossary: CSV (.csv) or TBX (.tbx).")
    .argument("<file>", "the file")
    .option("--sync", "also delete the terms that the file does not have", false)
    .option("--dry-run", "show what would change, and change nothing", false)
    .action(async (path, flags) => {
      const { readTerms } = await import("../../client/tree/term-files.ts");
      const { findCommitRef } = await import("../../client/repository/commit-ref.ts");
      const { data, commit } = await runOnHive(flags, "none", async ({ hive, context }) => {
        const terms = await readTerms(hive, path, context.warn);
        const ref = await findCommitRef(context.folder, context.environment);
        return hive.glossary.send(terms, flags.sync ? "sync" : "merge", { dryRun: flags.dryRun, ref });
      });
      printResult(flags, { commit, dryRun: flags.dryRun, ...data }, printCounts);
    });
  clientPart(glossary, "export", "Print the glossary, for a spreadsheet or another tool.")
    .addOption(new Option("--csv", "print CSV, the default").conflicts("tbx"))
    .addOption(new Option("--tbx", "print TBX").default(false))
    .action(async ({ tbx, ...flags }) => {
      const { exportTerms } = await import("../../client/tree/term-files.ts");
      const text = await runOnHive(flags, "none", ({ hive }) => exportTerms(hive, tbx ? "tbx" : "csv"));
      writeResult(text);
    });
  deleting(glossary, "delete");
  deleting(glossary, "remove", true);
  return glossary;
}

function deleting(glossary: CommandUnknownOpts, name: string, hidden = false): void {
  clientPart(glossary, name, "Delete a term.", false, { hidden })
    .argument("<id>", "its id, which skep glossary list shows")
    .action(async (id, flags) => {
      await runOnHive(flags, "none", ({ hive }) => hive.glossary.remove(id));
      printResult(flags, { deleted: 1 }, () => print("Deleted the term."));
    });
}

function creating(glossary: CommandUnknownOpts, name: string, hidden = false): void {
  const about = "Add a term, or change the term with this spelling.";
  const command = clientPart(glossary, name, about, false, { hidden })
    .argument("<term>", "its spelling in the source locale")
    .addOption(spellings("--translation <code=text>", "its translation; may be given several times"))
    .addOption(spellings("--accepted <code=text>", "another spelling that is right"))
    .addOption(spellings("--forbidden <code=text>", "a spelling that is wrong"))
    .option("--meaning <text>", "what it stands for")
    .option("--part-of-speech <text>", "such as noun")
    .addOption(new Option("--match <kind>", "how it is found in texts").choices(matchKinds))
    .option("--case", "upper and lower case make a difference")
    .option("--keep", "it stays as it is in every locale")
    .action(async (source, flags) => {
      const { meaning, partOfSpeech, match, case: hasCase, keep } = flags;
      const term = { source, part_of_speech: partOfSpeech, meaning, match, case: hasCase, keep };
      const terms = [{ ...term, translations: translationsOf(flags) }];
      const { data, commit } = await runOnHive(flags, "none", ({ hive }) =>
        hive.glossary.send(terms, "merge", {}),
      );
      printResult(flags, { commit, ...data }, printCounts);
    });
  addEarlierFlag(command, "--locale <code=text>", "translation");
}

type Spellings = readonly (readonly [locale: string, text: string])[];

function spellings<Flag extends string>(flags: Flag, description: string) {
  return new Option(flags, description)
    .default([], "none")
    .argParser((text: string, before: Spellings): Spellings => {
      const [, code, spelling] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      if (code === undefined || spelling === undefined)
        throw new InvalidArgumentError("It must be like fr=fichier.");
      return [...before, [code, spelling]];
    });
}

function translationsOf({
  translation,
  accepted,
  forbidden,
}: Readonly<Record<"translation" | "accepted" | "forbidden", Spellings>>): Record<
  string,
  ExchangeTranslation
> {
  const translations = emptyRecord<ExchangeTranslation>();
  const codes = new Set([...translation, ...accepted, ...forbidden].map(([code]) => code));
  for (const code of codes) {
    const of = (all: Spellings): string[] | undefined => {
      const own = all.filter(([other]) => other === code).map(([, text]) => text);
      return own.length === 0 ? undefined : own;
    };
    translations[code] = { text: of(translation)?.at(-1), accepted: of(accepted), forbidden: of(forbidden) };
  }
  return translations;
}

const columns: Columns<HiveTerm> = {
  ID: ({ id }) => id,
  TERM: ({ source }) => onOneLine(source),
  MEANING: ({ meaning }) => onOneLine(meaning ?? ""),
  TRANSLATIONS: ({ keep, translations }) =>
    [
      ...(keep ? ["stays as it is"] : []),
      ...Object.entries(translations).map(([code, each]) => `${code}: ${onOneLine(each.text ?? "")}`),
    ].join("; "),
};

function printCounts(result: TermCounts & { readonly dryRun?: boolean }): void {
  const { created, updated, deleted, unchanged, dryRun } = result;
  const would = dryRun === true ? "Dry run: nothing was changed. " : "";
  const gone = deleted > 0 ? `, ${deleted} deleted` : "";
  print(`${would}${counted(created, "term")} created, ${updated} updated${gone}, ${unchanged} unchanged.`);
}
