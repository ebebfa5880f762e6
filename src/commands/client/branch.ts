/** `skep branch`: lists, compares and merges the branches of a Hive. */
import { readFile } from "node:fs/promises";
import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Branch, BranchChange, BranchChanges, MergeResult } from "../../client/api/branch-api.ts";
import { ClientError } from "../../client/api/client-error.ts";
import type { ConflictingKey } from "../../client/api/schemas.ts";
import { conflictStrategies, type ConflictStrategy } from "../../domain/plans/conflict-strategies.ts";
import { changesOfSameText } from "../../domain/commits/change-kinds.ts";
import { messageOf } from "../../domain/errors.ts";
import { counted } from "../../domain/text.ts";
import { onOneLine, wordDiff, type Paint } from "../output/terminal.ts";
import { alignCells, nonZero, print, printList, printNotice, type Columns } from "../output/print.ts";
import { toWholeNumber } from "../program/arguments.ts";
import { stdoutPaint } from "./changes.ts";
import {
  clientGroup,
  clientPart,
  printJson,
  printResult,
  runOnProject,
  type ClientFlags,
} from "./client-command.ts";

export function branchCommand(): CommandUnknownOpts {
  const branch = clientGroup("branch");
  clientPart(branch, "list", "List the branches of the Hive besides main.").action(async (flags) => {
    const branches = await runOnProject(flags, "none", ({ hive }) => hive.branches.list());
    printList(branches, flags.json, columns, {
      empty: "There is no branch besides main; skep branch create makes one.",
    });
  });
  named(branch, "show", "Show a branch.").action(async (name, flags) => {
    const found = await runOnProject(flags, "none", ({ hive }) => hive.branches.show(name));
    printResult(flags, found, printBranch);
  });
  named(branch, "create", "Create a branch. A push with --branch creates it, too.")
    .option("--from <revision>", "the starting point: a tag, a commit or a time (default: main)")
    .action(async (name, { from, ...flags }) => {
      const created = await runOnProject(flags, "none", ({ hive }) => hive.branches.create(name, from));
      printResult(flags, created, (made) => printMade("Created", made));
    });
  named(
    branch,
    "diff",
    "Show key by key the changes of a branch since it left main, and its conflicts with main.",
  )
    .option("--conflicts", "show only conflicts with main", false)
    .action(async (name, { conflicts, ...flags }) => {
      const changes = await runOnProject(flags, "none", ({ hive }) => hive.branches.changes(name, conflicts));
      if (flags.json) return printJson({ ...changes, locales: countsByLocale(changes) });
      printBranchChanges(name, changes);
    });
  merging(branch, "merge", "Merge a branch into main, key by key.")
    .option("--delete", "delete the branch afterwards", false)
    .action(async (name, flags) => {
      const resolutions = await readResolutions(flags);
      await merge(flags, `${name} into main`, (hive, ref) =>
        hive.branches.merge(name, { ...flags, resolutions, ref, deleteBranch: flags.delete }),
      );
    });
  merging(branch, "update", "Merge main into a branch, key by key.").action(async (name, flags) => {
    const resolutions = await readResolutions(flags);
    await merge(flags, `main into ${name}`, (hive, ref) =>
      hive.branches.update(name, { ...flags, resolutions, ref }),
    );
  });
  named(branch, "delete", "Delete a branch. It can be restored for 30 days.").action(async (name, flags) => {
    const deleted = await runOnProject(flags, "none", ({ hive }) => hive.branches.delete(name));
    if (flags.json) return printJson(deleted);
    print(
      `Deleted the branch ${onOneLine(deleted.name)}; it can be restored until ${onOneLine(deleted.expires)}.`,
    );
  });
  named(branch, "restore", "Restore the last deleted branch with this name.").action(async (name, flags) => {
    const restored = await runOnProject(flags, "none", ({ hive }) => hive.branches.restore(name));
    printResult(flags, restored, (made) => printMade("Restored", made));
  });
  return branch;
}

function named(parent: CommandUnknownOpts, name: string, description: string) {
  return clientPart(parent, name, description).argument("<name>", "the branch of the Hive");
}

interface MergeFlags extends ClientFlags {
  readonly onConflict: ConflictStrategy;
  readonly resolutions?: string;
  readonly maxDeletions?: number;
  readonly message?: string;
  readonly dryRun: boolean;
}

function merging(parent: CommandUnknownOpts, name: string, description: string) {
  return named(parent, name, description)
    .addOption(
      new Option("--on-conflict <side>", "how to resolve keys that both sides changed differently")
        .choices(conflictStrategies)
        .default("fail"),
    )
    .option(
      "--resolutions <file>",
      "a file of JSON that says for each conflict what is taken, as the API does; --on-conflict is about the others",
    )
    .option("--max-deletions <n>", "refuse to delete more source strings", toWholeNumber)
    .option("--message <text>", "a message for the commit")
    .option("--dry-run", "show the changes without making them", false);
}

/** The resolutions in the file that a flag names. @throws ClientError for one that cannot be read, or is no list. */
async function readResolutions({
  resolutions: path,
}: Pick<MergeFlags, "resolutions">): Promise<readonly unknown[] | undefined> {
  if (path === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(await readFile(path, "utf8"));
    if (Array.isArray(parsed)) return parsed;
    throw new TypeError("it must hold a list");
  } catch (error) {
    throw new ClientError("misuse", `--resolutions: ${path} cannot be used: ${messageOf(error)}`);
  }
}

function printBranch({ name, commit, ahead, behind, time, author }: Branch): void {
  const facts = {
    branch: name,
    commit,
    ahead: nonZero(ahead),
    behind: nonZero(behind),
    changed: time,
    by: author.name,
  };
  const members = Object.entries(facts).filter(([, value]) => value !== "");
  for (const line of alignCells(members, Infinity)) print(line);
}

function printMade(what: string, { name, commit }: Branch): void {
  print(`${what} the branch ${onOneLine(name)} at ${commit.slice(0, 7)}.`);
}

const columns: Columns<Branch> = {
  BRANCH: ({ name }) => name,
  COMMIT: ({ commit }) => commit.slice(0, 7),
  AHEAD: ({ ahead }) => nonZero(ahead),
  BEHIND: ({ behind }) => nonZero(behind),
  CHANGED: ({ time }) => time,
  BY: ({ author }) => author.name,
};

type Hive = Parameters<Parameters<typeof runOnProject>[2]>[0]["hive"];
type MergeApiResponse = Awaited<ReturnType<Hive["branches"]["merge"]>>;

async function merge(
  flags: MergeFlags,
  what: string,
  send: (hive: Hive, ref: string | undefined) => Promise<MergeApiResponse>,
): Promise<void> {
  const { findCommitRef } = await import("../../client/repository/commit-ref.ts");
  try {
    const { data, commit } = await runOnProject(flags, "none", async ({ hive, config, context }) =>
      send(hive, await findCommitRef(config.folder, context.environment)),
    );
    if (flags.json) printJson({ commit, dryRun: flags.dryRun, ...data });
    else printMerge(data, what, { commit, dryRun: flags.dryRun });
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== "merge_conflict") throw error;
    const { keys = [], total = 0 } = error.conflicts ?? {};
    if (flags.json) printJson({ conflicts: keys, total });
    else printConflicts(keys, total);
    throw error;
  }
}

type CountName = Exclude<
  keyof MergeResult,
  "moves" | "merged" | "undone_by" | "branch_deleted" | "not_deleted"
>;

/** What is counted, and the noun that it is said of. */
const counts: readonly (readonly [CountName, verb: string, noun?: string])[] = [
  ["created", "created"],
  ["updated", "updated"],
  ["deleted", "deleted"],
  ["moved", "moved"],
  ["translations_created", "created", "translation"],
  ["translations_updated", "updated", "translation"],
  ["translations_deleted", "deleted", "translation"],
  ["confirmed", "confirmed"],
  ["settled", "settled", "conflict"],
  ["dropped", "dropped"],
];

function printMerge(
  result: MergeResult,
  sides: string,
  { commit, dryRun }: { readonly commit: string; readonly dryRun: boolean },
): void {
  const done = counts
    .filter(([name]) => result[name] > 0)
    .map(
      ([name, verb, noun]) => `${noun === undefined ? result[name] : counted(result[name], noun)} ${verb}`,
    );
  const summary = done.join(", ") || "no text changed";
  const would = dryRun ? "Dry run: nothing was written. " : "";
  print(`${would}${onOneLine(sides)}: ${summary}, at ${commit.slice(0, 7)}.`);
  const { merged, undone_by: undoneBy, branch_deleted: isDeleted, not_deleted: why = "" } = result;
  if (undoneBy !== undefined) {
    printNotice(
      `Its earlier merge was undone by ${undoneBy.slice(0, 7)}, and stays undone: undo that commit to bring it back.`,
    );
  } else if (merged !== undefined) print(`It was merged already, by ${merged.slice(0, 7)}.`);
  if (isDeleted === true) print("The branch was deleted.");
  if (isDeleted === false) printNotice(`The branch was not deleted. ${onOneLine(why)}`.trim());
}

function printConflicts(keys: readonly ConflictingKey[], total: number): void {
  for (const { locale, file, key, main, branch, in_the_way: blocker } of keys) {
    print(onOneLine(`${locale}: ${file}: ${key}`));
    if (main === undefined && branch === undefined) continue;
    print(`  main:   ${blocker === undefined ? shown(main) : `has ${onOneLine(blocker)}`}`);
    print(`  branch: ${shown(branch)}`);
  }
  if (total > keys.length) print(`and ${total - keys.length} more; skep branch diff --conflicts shows all.`);
}

function shown(text: string | null | undefined): string {
  return text === null || text === undefined ? "(deleted)" : onOneLine(JSON.stringify(text));
}

/** A list instead of an object, because reports have no names that come from an app; see `printJson`. */
function countsByLocale({ locales }: BranchChanges): readonly object[] {
  return Object.entries(locales).map(([locale, changes]) => ({ locale, changes }));
}

function printBranchChanges(name: string, { changes, conflicts, locales }: BranchChanges): void {
  const paint = stdoutPaint();
  let group = "";
  for (const change of changes) {
    const title = onOneLine(`${change.locale}: ${change.file}`);
    if (title !== group) print((group = title));
    printChange(change, paint);
  }
  const total = Object.entries(locales).map(([locale, count]) => `${locale} ${count}`);
  const summary = total.length === 0 ? "no changes" : `changes of ${total.join(", ")}`;
  print(`${onOneLine(name)}: ${summary}; ${counted(conflicts, "conflict")} with main.`);
}

const ofSameText = new Set<BranchChange["change"]>(changesOfSameText);

/** Changes that their sign does not tell. */
const told = new Set<BranchChange["change"]>([
  "outdated",
  "waiting",
  "accepted",
  "withdrawn",
  "comments",
  "picture",
]);

const signs: Readonly<Record<string, string>> = {
  created: "+",
  deleted: "-",
  cleared: "-",
  ...Object.fromEntries([...ofSameText].map((change) => [change, "="])),
  moved: ">",
};

function printChange(
  { change, key, member, before, after, from, conflict }: BranchChange,
  paint: Paint | undefined,
): void {
  const changed = ofSameText.has(change) ? onOneLine(after ?? "") : wordDiff(before, after, paint);
  const description = from === undefined ? changed : `moved from ${onOneLine(`${from.file}: ${from.key}`)}`;
  const ofNote = change === "app_note" && member !== undefined ? `app ${member}` : member;
  const what = ofNote ?? (told.has(change) ? change : undefined);
  const name = what === undefined ? key : `${key} (${what})`;
  print(`  ${signs[change] ?? "~"} ${onOneLine(name)}: ${description}`);
  if (conflict === undefined) return;
  const { main, in_the_way: blocker } = conflict;
  print(`    conflict, main ${blocker === undefined ? `has ${shown(main)}` : `has ${onOneLine(blocker)}`}`);
}
