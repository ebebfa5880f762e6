/** `skep server maintain`: packs Hives now. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { toHiveSlug } from "../../domain/names.ts";
import { counted, toPrintableJson } from "../../domain/text.ts";
import type { Maintained } from "../../service/operations/maintenance.ts";
import { print, printable, printNotice } from "../output/print.ts";
import { machineCommand } from "../operations/machine-only.ts";
import { openNamed } from "../program/command.ts";
import { output } from "../program/output.ts";
import { withProgress } from "./progress.ts";

type Ending = Maintained["packing"]["kind"];

const meanings: Readonly<Record<Ending, string>> = {
  packed: "packed",
  compacted: "compacted",
  "nothing-to-do": "nothing to pack",
  busy: "another process is packing or checking it",
  "no-repository": "has no repository",
  "no-git": "git is not installed",
  stopped: "was stopped",
  failed: "could not be packed",
};
const successes: ReadonlySet<Ending> = new Set(["packed", "compacted", "nothing-to-do", "busy"]);

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000)} kB`;
}

function describe({ packing }: Maintained): string {
  if (packing.kind === "packed") return `${meanings.packed} ${counted(packing.loose, "loose object")}`;
  if (packing.kind === "compacted") {
    const { changes, before, after } = packing;
    return `${meanings.compacted} ${counted(changes, "change")}, from ${kilobytes(before)} to ${kilobytes(after)}`;
  }
  if (packing.kind === "failed") return `${meanings.failed}: ${packing.reason}`;
  return meanings[packing.kind];
}

/** What was done with a Hive, in JSON. */
function toRow({ hive, packing: { kind, ...counts } }: Maintained): object {
  return { hive, result: kind.replaceAll("-", "_"), ...counts };
}

export function maintainCommand(parent?: CommandUnknownOpts): CommandUnknownOpts {
  return machineCommand("maintain", parent)
    .description(
      "Pack Hives with git, and remove what has expired. Packed Hives stay fast and small " +
        "over thousands of commits. Hives leave the trash after 30 days. Entries of the audit " +
        "log leave after 400 days. In a database, Hives that have grown are compacted, and a " +
        "Hive that you name in any case. The server does this by itself; both may run at any " +
        "time, and packing removes no data. Exits with 1 if a Hive could not be packed.",
    )
    .argument("[slug]", "only this Hive; all if not given")
    .option("--json", "print JSON", false)
    .action(async (slug, { json, ...flags }) => {
      const { maintain } = await import("../../service/operations/maintenance.ts");
      const { purgeTrash } = await import("../../service/admin/trash.ts");
      const hive = slug === undefined ? undefined : toHiveSlug(slug);
      const storage = await openNamed(flags);
      const purged = hive === undefined ? await purgeTrash(storage) : 0;
      if (purged > 0 && !json) print(`trash: removed ${counted(purged, "Hive")} for good`);
      const days = hive === undefined ? await storage.audit.prune() : 0;
      if (days > 0 && !json) print(`audit log: removed ${counted(days, "day")} that are no longer kept`);
      const rows: object[] = [];
      await withProgress(json, async ({ onStep, clear }) => {
        for await (const maintained of maintain(storage, hive, onStep)) {
          rows.push(toRow(maintained));
          clear();
          if (!json) print(printable(`${maintained.hive}: ${describe(maintained)}`));
          if (!successes.has(maintained.packing.kind)) output().exitCode = 1;
        }
      });
      if (json) return print(toPrintableJson({ purged, days, hives: rows }, 2));
      const isFolder = storage.record.repositories.compaction === undefined;
      if (rows.length === 0)
        printNotice(isFolder ? "There is no Hive to pack." : "No Hive has grown enough to be compacted.");
    });
}
