/** `skep channel`: publishes a Hive's texts for everybody. */
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { failingTexts } from "../domain/export/export.ts";
import { print, printList } from "./output/print.ts";
import { commandContext, openHive, storageCommand, listCommand } from "./program/command.ts";

const rules = `
A channel follows main or a branch, or is fixed at a tag or a commit. Set it again to
move it forward or back. Its files need no token: <server><path>fr.json has all texts
of a locale, fr/auth.json the texts of one file, and manifest.json the addresses of
files that caches may keep for ever. docs/delivery.md describes the use with nginx,
Varnish or a CDN.`;

export function channelCommand(): CommandUnknownOpts {
  const channel = new Command("channel");

  storageCommand("set", channel)
    .description("Publish a Hive in a channel, or change or move an existing channel.")
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
    .addHelpText("after", rules)
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

  listCommand(channel, "List the channels of a Hive.")
    .argument("<slug>", "the Hive")
    .action(async (text, flags) => {
      const { listChannels } = await import("../service/channels/channels.ts");
      const { storage, slug } = await openHive(flags, text);
      const { read } = await listChannels(storage, slug);
      printList(await read(), flags.json, {
        CHANNEL: (row) => row.name,
        FOLLOWS: (row) => row.branch ?? "-",
        AT: (row) => row.at ?? "-",
        COMMIT: (row) => row.commit?.slice(0, 10) ?? "-",
        LOCALES: (row) => row.locales?.join(",") ?? "all",
        SHAPE: (row) => row.shape,
        STATE: (row) => row.state ?? "-",
        FAILING: (row) => row.failing ?? "-",
        TAG: (row) => row.tag ?? "-",
        PUBLIC: (row) => (row.public ? "yes" : "no"),
        PATH: (row) => row.path,
      });
    });

  storageCommand("remove", channel)
    .description(
      "Remove a channel. The server stops serving its files and addresses; caches keep their copies.",
    )
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
