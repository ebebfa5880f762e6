/** `skep diff`: what a push and a pull would change, key by key. */
import { noTexts } from "../domain/strings/string-file.ts";
import type { CommandContext } from "./context.ts";
import type { Project } from "./project.ts";
import { pull, type PulledFile } from "./pull.ts";
import { changesOf, textsOf, type TextChange } from "./texts.ts";

export interface DiffOptions {
  /** The locales that are compared; all target locales if not given. */
  readonly locales: readonly string[] | undefined;
  readonly allowEmpty: boolean;
}

/** What a push would change of one source file. */
export interface PushedFile {
  /** Its name in the Hive. */
  readonly file: string;
  readonly path: string;
  readonly changes: readonly TextChange[];
}

export interface DiffReport {
  readonly hive: string;
  /** The branch that was compared; null for main. */
  readonly branch: string | null;
  readonly push: readonly PushedFile[];
  readonly pull: readonly PulledFile[];
  /** Files of the Hive that no pattern matches: a push leaves them as they are. */
  readonly unmatched: readonly string[];
}

/** Compares the tree with the Hive. Only what differs is in the report. @throws ClientError */
export async function diff(
  project: Project,
  options: DiffOptions,
  context: CommandContext,
): Promise<DiffReport> {
  const locales = await project.hive.locales();
  const tree = await project.tree(locales, options);
  const { data: ofHive } = await project.hive.texts(locales.source.code);
  const pushed: PushedFile[] = [];
  for (const file of tree.files) {
    const { content } = await project.readSource(file);
    const changes = changesOf(ofHive.get(file.name) ?? noTexts, textsOf(content));
    if (changes.length > 0) pushed.push({ file: file.name, path: file.source.path, changes });
  }
  const asPulled = { ...options, at: undefined, missing: "leave", prune: false, dryRun: true } as const;
  const { files, unmatched, hive, branch } = await pull(project, asPulled, context);
  return {
    hive,
    branch,
    push: pushed,
    pull: files.filter(({ change }) => change !== "unchanged"),
    unmatched,
  };
}
