/** `skep channel`: publishes a Hive's texts for everybody. */
import { Command, Option } from "commander";
import { failingTexts, type FailingTexts } from "../domain/export/export.ts";
import { toHiveSlug } from "../domain/names.ts";
import { print, printList } from "./output/print.ts";
import { commandContext, openNamed, storageCommand, listCommand } from "./program/command.ts";
import type { ListFlags, StorageFlag } from "./program/command.ts";

const rules = `
A channel follows main or a branch, or is fixed at a tag or a commit. Set it again to
move it forward or back. Its files need no token: <server><path>fr.json has all texts
of a locale, fr/auth.json the texts of one file, and manifest.json the addresses of
files that caches may keep for ever. docs/delivery.md describes the use with nginx,
Varnish or a CDN.`;

interface SetFlags extends StorageFlag {
  readonly at?: string;
  readonly branch?: string;
  readonly locales?: string;
  readonly flat: boolean;
  readonly approved: boolean;
  readonly failing?: FailingTexts;
  readonly tag?: string;
  readonly private: boolean;
}

export function channelCommand(): Command {
  const channel = new Command("channel");

  channel.addCommand(
    storageCommand("set")
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
      .action(async (text: string, name: string, flags: SetFlags) => {
        const { setChannel } = await import("../service/channels/channels.ts");
        const slug = toHiveSlug(text);
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
        const { path } = await setChannel(await openNamed(flags), slug, request, commandContext);
        print(path);
      }),
  );

  channel.addCommand(
    listCommand("List the channels of a Hive.")
      .argument("<slug>", "the Hive")
      .action(async (text: string, flags: ListFlags) => {
        const { listChannels } = await import("../service/channels/channels.ts");
        const { read } = await listChannels(await openNamed(flags), toHiveSlug(text));
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
      }),
  );

  channel.addCommand(
    storageCommand("remove")
      .description(
        "Remove a channel. The server stops serving its files and addresses; caches keep their copies.",
      )
      .argument("<slug>", "the Hive")
      .argument("<name>", "the channel")
      .action(async (text: string, name: string, flags: StorageFlag) => {
        const { removeChannel } = await import("../service/channels/channels.ts");
        const slug = toHiveSlug(text);
        await removeChannel(await openNamed(flags), slug, name, commandContext);
        print(`Removed the channel ${name} of the Hive ${slug}.`);
      }),
  );
  return channel;
}
