/** `skep tag`: lists and creates the tags of a Hive. There is no command to move or delete one, since none is ever moved. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Tag } from "../../client/api/tag-api.ts";
import { onOneLine } from "../output/terminal.ts";
import { print, printList, type Columns } from "../output/print.ts";
import { clientGroup, clientPart, printResult, runOnProject } from "./client-command.ts";

export function tagCommand(): CommandUnknownOpts {
  const tag = clientGroup("tag");
  clientPart(tag, "list", "List the tags of the Hive.").action(async (flags) => {
    const tags = await runOnProject(flags, "none", ({ hive }) => hive.tags.list());
    printList(tags, flags.json, columns, { empty: "There is no tag; skep tag create makes one." });
  });
  clientPart(tag, "create", "Create a tag. It can be neither moved nor deleted.")
    .argument("<name>", "such as v1.2")
    .option("--at <revision>", "what it marks: a commit, a tag or a time (default: main)")
    .option("--message <text>", "a message for the tag")
    .action(async (name, { at, message, ...flags }) => {
      const { findCommitRef } = await import("../../client/repository/commit-ref.ts");
      const created = await runOnProject(flags, "none", async ({ hive, config, context }) => {
        const ref = await findCommitRef(config.folder, context.environment);
        return hive.tags.create({ name, at, message, ref });
      });
      printResult(flags, created, (made) => {
        print(`Created the tag ${onOneLine(made.name)} at ${made.commit.slice(0, 7)}.`);
      });
    });
  return tag;
}

const columns: Columns<Tag> = {
  TAG: ({ name }) => name,
  COMMIT: ({ commit }) => commit.slice(0, 7),
  CREATED: ({ time }) => time ?? "",
  BY: ({ tagger }) => tagger?.name ?? "",
  MESSAGE: ({ message }) => message ?? "",
};
