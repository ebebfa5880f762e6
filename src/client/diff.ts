/** `skep diff`: shows the changes of a push and a pull key by key. */
import { noTexts } from "../domain/strings/string-file.ts";
import { chooseLocales, type HiveReport, type Project } from "./project.ts";
import { planPull, type PulledFile } from "./pull.ts";
import type { FaultyFile } from "./faults.ts";
import { readTree } from "./read-tree.ts";
import type { CompareOptions } from "./status.ts";
import { changesOf, type TextChange } from "./texts.ts";

export interface DiffReport extends HiveReport {
  /** The source files that a push would change. */
  readonly push: readonly {
    readonly file: string;
    readonly path: string;
    readonly changes: readonly TextChange[];
  }[];
  readonly pull: readonly PulledFile[];
  /** Files of the Hive that no pattern matches: a push leaves them as they are. */
  readonly unmatched: readonly string[];
  /** The files that cannot be read; their locales are not compared. */
  readonly faults: readonly FaultyFile[];
}

/** Compares the tree with the Hive. Only differences are in the report. @throws ClientError */
export async function diff(project: Project, options: CompareOptions): Promise<DiffReport> {
  await project.warnOfInterruptedPull();
  const locales = await project.hive.locales();
  const chosen = chooseLocales(locales, options.locales);
  const dryPull = {
    ...options,
    approved: false,
    pseudo: false,
    missing: "leave",
    prune: false,
    strict: false,
    dryRun: true,
  } as const;
  const content = await readTree(project, locales, chosen, dryPull);
  const { data: ofHive } = await project.hive.texts(locales.source.code);
  const { report } = await planPull(project, content, chosen, dryPull);
  const { files, unmatched, hive, branch, faults } = report;
  return {
    hive,
    branch,
    push: content.sources.flatMap(({ file, texts }) => {
      const changes = changesOf(ofHive.get(file.name) ?? noTexts, texts);
      return changes.length === 0 ? [] : { file: file.name, path: file.source.path, changes };
    }),
    pull: files.filter(({ change }) => change !== "unchanged"),
    unmatched,
    faults,
  };
}
