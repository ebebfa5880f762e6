/** `skep channel`, with the commands that it had before `create` and `edit`. */
import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { failingTexts } from "../domain/export/export.ts";
import { print } from "./output/print.ts";
import { nounCommand } from "./operations/operation-command.ts";
import { commandContext, openHive, storageCommand } from "./program/command.ts";

export async function channelCommand(): Promise<CommandUnknownOpts> {
  const channel = await nounCommand("channel");

  storageCommand("set", channel, true)
    .description("Use skep channel create and skep channel edit instead.")
    .argument("<slug>", "the Hive")
    .argument("<name>", "the channel, such as production")
    .option("--branch <name>", "the branch that the channel follows (default: main)")
    .option("--at <revision>", "the tag, commit or time at which the channel is fixed")
    .option("--locales <codes>", "the locales, separated by commas; all if not given")
    .option("--flat", "publish flat files instead of nested ones", false)
    .addOption(
      new Option(
        "--failing <how>",
        "instead of a translation with an error, publish its source text, or omit it (default: publish it)",
      ).choices(failingTexts),
    )
    .option(
      "--approved",
      "publish the text that was approved last where one waits for a review; servers without reviews publish all",
      false,
    )
    .option("--tag <tags>", "only strings with one of these tags in their notes, separated by commas")
    .option("--private", "keep the channel, but stop publishing it", false)
    .action(async (text, name, flags) => {
      const { setChannel } = await import("../service/channels/channels.ts");
      const { storage, slug } = await openHive(flags, text);
      const request = {
        name,
        branch: flags.branch,
        at: flags.at,
        locales: flags.locales?.split(",").map((code) => code.trim()),
        shape: flags.flat ? ("flat" as const) : ("nested" as const),
        state: flags.approved ? ("approved" as const) : undefined,
        failing: flags.failing,
        tag: flags.tag,
        public: !flags.private,
      };
      const { path } = await setChannel(storage, slug, request, commandContext);
      print(path);
    });

  storageCommand("remove", channel, true)
    .description("Use skep channel delete instead.")
    .argument("<slug>", "the Hive")
    .argument("<name>", "the channel")
    .action(async (text, name, flags) => {
      const { removeChannel } = await import("../service/channels/channels.ts");
      const { storage, slug } = await openHive(flags, text);
      await removeChannel(storage, slug, name, commandContext);
      print(`Removed the channel ${name} of the Hive ${slug}.`);
    });
  return channel;
}
