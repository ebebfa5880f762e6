/** `skep merge-driver`: merges a file of a Hive key by key, for `git merge` in a clone. */
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { counted } from "../../domain/text.ts";
import { printNotice } from "../output/print.ts";
import { output } from "../program/output.ts";

export function mergeDriverCommand(): CommandUnknownOpts {
  return new Command("merge-driver")
    .argument("<base>", "the file as both sides had it: %O")
    .argument("<ours>", "the file of the current branch, which gets the result: %A")
    .argument("<theirs>", "the file of the other branch: %B")
    .addHelpText(
      "after",
      `
In a clone of a Hive, git uses it after:

  git config merge.skep.driver "skep merge-driver %O %A %B"
  echo 'locales/** merge=skep' >> .git/info/attributes

Keys that both sides changed differently stand between conflict markers, with both texts; then it exits with 1.`,
    )
    .action(async (base, ours, theirs) => {
      const { mergeTexts } = await import("../../domain/pushes/text-merge.ts");
      const [before, here, there] = await Promise.all([base, ours, theirs].map((path) => readFile(path)));
      if (before === undefined || here === undefined || there === undefined)
        throw new Error("a file is missing");
      const versions = { base: before, ours: here, theirs: there };
      const { text, conflicts } = await mergeTexts(versions, randomUUID());
      await writeFile(ours, text);
      if (conflicts === 0) return;
      printNotice(`skep merge-driver: ${counted(conflicts, "conflict")} to settle`);
      output().exitCode = 1;
    });
}
