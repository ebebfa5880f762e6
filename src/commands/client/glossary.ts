/** `skep glossary`: lists, adds, imports and exports the terms of a Hive. */
import { Command, InvalidArgumentError, Option } from "commander";
import type { HiveTerm, TermCounts } from "../../client/api/glossary-api.ts";
import { exitCodesHelp } from "../../client/api/client-error.ts";
import type { ExchangeTranslation } from "../../formats/exchange/exchange-term.ts";
import { matchKinds } from "../../domain/glossary/term.ts";
import { counted } from "../../domain/text.ts";
import { print, printList } from "../output/print.ts";
import { onOneLine } from "../output/terminal.ts";
import { output } from "../program/output.ts";
import { clientCommand, printJson, runOnHive, type ClientFlags } from "./client-command.ts";

export function glossaryCommand(): Command {
  const glossary = new Command("glossary").addHelpText("after", exitCodesHelp);
  glossary.addCommand(
    command("list", "List the terms of the Hive.")
      .option("--search <text>", "only terms with this text in their spelling, meaning or translations")
      .action(async ({ search, ...flags }: ClientFlags & { readonly search?: string }) => {
        const terms = await runOnHive(flags, "none", ({ hive }) => hive.glossary.list(search));
        printList(terms, flags.json, columns);
      }),
  );
  glossary.addCommand(addCommand());
  glossary.addCommand(
    command("import", "Merge the terms of a file into the glossary: CSV (.csv) or TBX (.tbx).")
      .argument("<file>", "the file")
      .option("--sync", "also delete the terms that the file does not have", false)
      .option("--dry-run", "show what would change, and change nothing", false)
      .action(
        async (path: string, flags: ClientFlags & { readonly sync: boolean; readonly dryRun: boolean }) => {
          const { readTerms } = await import("../../client/tree/term-files.ts");
          const { findCommitRef } = await import("../../client/repository/commit-ref.ts");
          const { data, commit } = await runOnHive(flags, "none", async ({ hive, context }) => {
            const terms = await readTerms(hive, path, context.warn);
            const ref = await findCommitRef(context.folder, context.environment);
            return hive.glossary.send(terms, flags.sync ? "sync" : "merge", { dryRun: flags.dryRun, ref });
          });
          if (flags.json) printJson({ commit, dryRun: flags.dryRun, ...data });
          else printCounts(data, flags.dryRun);
        },
      ),
  );
  glossary.addCommand(
    command("export", "Print the glossary, for a spreadsheet or another tool.")
      .addOption(new Option("--csv", "print CSV, the default").conflicts("tbx"))
      .addOption(new Option("--tbx", "print TBX").default(false))
      .action(async ({ tbx, ...flags }: ClientFlags & { readonly tbx: boolean }) => {
        const { exportTerms } = await import("../../client/tree/term-files.ts");
        const text = await runOnHive(flags, "none", ({ hive }) => exportTerms(hive, tbx ? "tbx" : "csv"));
        output().stdout.write(text);
      }),
  );
  glossary.addCommand(
    command("remove", "Remove a term.")
      .argument("<id>", "its id, which skep glossary list shows")
      .action(async (id: string, flags: ClientFlags) => {
        await runOnHive(flags, "none", ({ hive }) => hive.glossary.remove(id));
        if (flags.json) printJson({ deleted: 1 });
        else print("Removed the term.");
      }),
  );
  return glossary;
}

interface AddFlags extends ClientFlags {
  readonly locale: Spellings;
  readonly accepted: Spellings;
  readonly forbidden: Spellings;
  readonly meaning?: string;
  readonly partOfSpeech?: string;
  readonly match?: string;
  readonly case?: true;
  readonly keep?: true;
}

function addCommand(): Command {
  return command("add", "Add a term, or change the one of that spelling.")
    .argument("<term>", "its spelling in the source locale")
    .addOption(spellings("--locale <code=text>", "its translation; may be given several times"))
    .addOption(spellings("--accepted <code=text>", "another spelling that is right"))
    .addOption(spellings("--forbidden <code=text>", "a spelling that is wrong"))
    .option("--meaning <text>", "what it stands for")
    .option("--part-of-speech <text>", "such as noun")
    .addOption(new Option("--match <kind>", "how it is found in texts").choices(matchKinds))
    .option("--case", "upper and lower case make a difference")
    .option("--keep", "it stays as it is in every locale")
    .action(async (source: string, flags: AddFlags) => {
      const { meaning, partOfSpeech, match, case: hasCase, keep } = flags;
      const term = { source, part_of_speech: partOfSpeech, meaning, match, case: hasCase, keep };
      const { data, commit } = await runOnHive(flags, "none", ({ hive }) =>
        hive.glossary.send([{ ...term, translations: translationsOf(flags) }], "merge", {
          dryRun: false,
          ref: undefined,
        }),
      );
      if (flags.json) printJson({ commit, ...data });
      else printCounts(data, false);
    });
}

type Spellings = readonly (readonly [locale: string, text: string])[];

function spellings(flags: string, description: string): Option {
  return new Option(flags, description).default([], "none").argParser((text: string, before: Spellings) => {
    const [, code, spelling] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (code === undefined || spelling === undefined)
      throw new InvalidArgumentError("It must be like fr=fichier.");
    return [...before, [code, spelling] as const];
  });
}

function translationsOf({ locale, accepted, forbidden }: AddFlags): Record<string, ExchangeTranslation> {
  const translations: Record<string, ExchangeTranslation> = {};
  const codes = new Set([...locale, ...accepted, ...forbidden].map(([code]) => code));
  for (const code of codes) {
    const of = (all: Spellings): string[] => all.filter(([own]) => own === code).map(([, text]) => text);
    const [others, wrong] = [of(accepted), of(forbidden)];
    translations[code] = {
      text: of(locale).at(-1),
      accepted: others.length === 0 ? undefined : others,
      forbidden: wrong.length === 0 ? undefined : wrong,
    };
  }
  return translations;
}

function command(name: string, description: string): Command {
  return clientCommand(name, false).description(description);
}

const columns: Readonly<Record<string, (term: HiveTerm) => string>> = {
  ID: ({ id }) => id,
  TERM: ({ source }) => onOneLine(source),
  MEANING: ({ meaning }) => onOneLine(meaning ?? ""),
  TRANSLATIONS: ({ keep, translations }) =>
    [
      ...(keep ? ["stays as it is"] : []),
      ...Object.entries(translations).map(([code, each]) => `${code}: ${onOneLine(each.text ?? "")}`),
    ].join("; "),
};

function printCounts({ created, updated, deleted, unchanged }: TermCounts, dryRun: boolean): void {
  const would = dryRun ? "Dry run: nothing was changed. " : "";
  const gone = deleted > 0 ? `, ${deleted} deleted` : "";
  print(`${would}${counted(created, "term")} created, ${updated} updated${gone}, ${unchanged} unchanged.`);
}
