/** `skep mirror`: manages the remotes that a Hive is pushed to. */
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { toMirrorUrl } from "../domain/hives/mirror-url.ts";
import { counted } from "../domain/text.ts";
import type { MirrorSummary } from "../service/admin/mirrors.ts";
import { print, printable } from "./output/print.ts";
import { openHive, storageCommand } from "./program/command.ts";
import { output } from "./program/output.ts";
import { endSignals } from "./program/signals.ts";
import { listAllCommand } from "./storage-commands.ts";

const rules = `
The server (skep serve) pushes main and the tags after each commit, never by force,
with the installed git and the credentials that git finds for the server's user:
credential helpers, ~/.netrc, ssh keys. After a failure, the push is repeated after
2 s, 4 s, and so on up to half an hour. After a rejection, it is repeated when the Hive
changes, or with: skep mirror push <slug>

With --branches, all branches are pushed. A branch that is deleted in the Hive is also
deleted at the remote, if it is still as Skep pushed it.`;

export function mirrorCommand(): CommandUnknownOpts {
  const mirror = new Command("mirror");

  storageCommand("add", mirror)
    .description("Push a Hive to a remote: its whole history now, and each change from now on.")
    .argument("<slug>", "the Hive")
    .argument(
      "<url>",
      "https://…, ssh://…, user@host:path, file:///… or an absolute path; http://… for this machine only; without password or token",
    )
    .option("--branches", "push all branches instead of main only", false)
    .addHelpText("after", rules)
    .action(async (text, url, flags) => {
      const { addMirror } = await import("../service/admin/mirrors.ts");
      const { storage, slug } = await openHive(flags, text);
      await addMirror(storage, slug, toMirrorUrl(url), { branches: flags.branches });
      print(`Added a mirror to the Hive ${slug}.`);
    });

  listAllCommand(
    mirror,
    "List the mirrors with the last push and the last error of each.",
    async (storage) => {
      const { listMirrors } = await import("../service/admin/mirrors.ts");
      return (await listMirrors(storage)).map(toRow);
    },
    {
      HIVE: (row) => row.hive,
      MIRROR: (row) => row.url ?? "?",
      BRANCHES: (row) => (row.branches === null ? "?" : row.branches ? "all" : "main"),
      STATE: (row) => row.state,
      COMMIT: (row) => row.pushed_commit?.slice(0, 10) ?? "-",
      PUSHED: (row) => row.pushed_at ?? "-",
      "NEXT TRY": (row) => row.retry_at ?? "-",
      ERROR: (row) => row.error ?? "-",
    },
  );

  storageCommand("push", mirror)
    .description("Push a Hive to all its mirrors now, including those that rejected the last push.")
    .argument("<slug>", "the Hive")
    .action(async (text, flags) => {
      const { pushNow } = await import("../service/admin/mirrors.ts");
      const { storage, slug } = await openHive(flags, text);
      for (const { url, state } of await pushNow(storage, slug, endOnSignals())) {
        if (state.failure !== undefined) output().exitCode = 1;
        print(printable(`${url}: ${state.failure?.error ?? "pushed"}`));
      }
    });

  storageCommand("remove", mirror)
    .description("Stop pushing a Hive to a remote. The remote stays as it is.")
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

function toRow({ slug, url, status, state, problem }: MirrorSummary) {
  return {
    hive: slug,
    url: url ?? null,
    branches: state === undefined ? null : (state.mirror.branches ?? false),
    state: status,
    pushed_commit: state?.pushed?.commit ?? null,
    pushed_at: state?.pushed?.at ?? null,
    error: state?.failure?.error ?? problem ?? null,
    error_at: state?.failure?.at ?? null,
    attempts: state?.failure?.attempts ?? 0,
    retry_at: status === "failed" || status === "no-git" ? (state?.failure?.retryAt ?? null) : null,
  };
}
