/** `skep types`: writes the keys of the app's texts and their arguments as TypeScript. */
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError, exitCodesHelp } from "../../client/api/client-error.ts";
import { libraries } from "../../client/code/libraries.ts";
import { counted } from "../../domain/text.ts";
import { commandContext, printJson } from "../client/client-command.ts";
import { onOneLine } from "../output/terminal.ts";
import { print } from "../output/print.ts";
import { writeResult } from "../program/output.ts";
import { takeFromProgram } from "../program/settings.ts";

export function typesCommand(): CommandUnknownOpts {
  return new Command("types")
    .option("--config <file>", "the settings of the app (default: the nearest skep.yaml upwards)")
    .option("--source-locale <code>", "the source locale (overrides source: in skep.yaml)")
    .addOption(
      new Option(
        "--for <library>",
        "the library that reads the texts (default: as the texts show it)",
      ).choices(libraries),
    )
    .option(
      "--namespace <name>",
      "of i18next: the default namespace (default: translation, or else that of the first file)",
    )
    .option("--out <file>", "write into this file, such as src/texts.d.ts, instead of printing")
    .option("--check", "write nothing, and exit with 1 if the file of --out differs", false)
    .option("--json", "print the result as JSON", false)
    .addHelpText("after", exitCodesHelp)
    .hook("preAction", (_, action) => takeFromProgram(action))
    .action(async ({ sourceLocale: source, for: library, out, check, json, ...options }) => {
      if (check && out === undefined) throw new ClientError("misuse", "--check needs --out.");
      const { holdsTypes, typesOf, writeTypes } = await import("../../client/code/types.ts");
      const { context } = commandContext(true);
      const types = await typesOf(context, { ...options, source, library });
      if (out === undefined) return json ? printJson(types) : writeResult(types.text);
      const { folder } = context;
      const { text, ...told } = types;
      const change = check
        ? (await holdsTypes(folder, out, text))
          ? "unchanged"
          : "different"
        : (await writeTypes(folder, out, text))
          ? "written"
          : "unchanged";
      if (json) printJson({ ...told, out, change });
      const what = `${out}: ${counted(types.keys, "text")} for ${types.library}`;
      if (change === "different")
        throw new ClientError(
          "error",
          onOneLine(`${out}: differs from the source files; run skep types without --check.`),
        );
      if (!json) print(onOneLine(`${what}, ${change}.`));
    });
}
