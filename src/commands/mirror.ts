/** `skep mirror`, with the commands that named mirrors by their Hive and address before they had ids. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { toMirrorUrl } from "../domain/hives/mirror-url.ts";
import { isHiveSlug } from "../domain/names.ts";
import { counted } from "../domain/text.ts";
import { print, printable } from "./output/print.ts";
import { nounCommand } from "./operations/operation-command.ts";
import { openHive, storageCommand, takeStorage } from "./program/command.ts";
import { output } from "./program/output.ts";
import { endSignals } from "./program/signals.ts";

export async function mirrorCommand(): Promise<CommandUnknownOpts> {
  const mirror = await nounCommand("mirror", { push: pushHive });

  storageCommand("add", mirror, true)
    .description("Use skep mirror create instead.")
    .argument("<slug>", "the Hive")
    .argument("<url>", "the address")
    .option("--branches", "push all branches instead of main only", false)
    .action(async (text, url, flags) => {
      const { addMirror } = await import("../service/admin/mirrors.ts");
      const { storage, slug } = await openHive(flags, text);
      await addMirror(storage, slug, toMirrorUrl(url), { branches: flags.branches });
      print(`Added a mirror to the Hive ${slug}.`);
    });

  storageCommand("remove", mirror, true)
    .description("Use skep mirror delete instead.")
    .argument("<slug>", "the Hive")
    .argument("[url]", "the mirror, with or without its user; all if not given")
    .action(async (text, url, flags) => {
      const { removeMirror } = await import("../service/admin/mirrors.ts");
      const { storage, slug } = await openHive(flags, text);
      const removed = await removeMirror(storage, slug, url);
      print(`Removed ${counted(removed, "mirror")} of the Hive ${slug}.`);
    });
  return mirror;
}

/** `skep mirror push SLUG`: pushes a Hive to all its mirrors. */
async function pushHive(command: CommandUnknownOpts): Promise<boolean> {
  const [text = ""] = command.args;
  const { server, json }: Readonly<Record<string, unknown>> = command.opts();
  // The id of a mirror has twelve digits; a Hive of such a name is pushed to by the ids of its mirrors.
  if (!isHiveSlug(text) || /^[0-9a-f]{12}$/.test(text) || server !== undefined || json === true) return false;
  const { pushNow } = await import("../service/admin/mirrors.ts");
  const { storage, slug } = await openHive(await takeStorage(command), text);
  for (const { url, state } of await pushNow(storage, slug, endOnSignals())) {
    if (state.failure !== undefined) output().exitCode = 1;
    print(printable(`${url}: ${state.failure?.error ?? "pushed"}`));
  }
  return true;
}

/** Stops git on a signal: git runs in a process group of its own, which signals of the terminal do not reach. */
function endOnSignals(): AbortSignal {
  const ending = new AbortController();
  for (const signal of endSignals) {
    process.once(signal, () => {
      output().exitCode = 1;
      ending.abort();
    });
  }
  return ending.signal;
}
