/** Reads all files of a tree before anything is sent or written, so that every fault is known by then. */
import { findPluralForms } from "../domain/strings/plural-forms.ts";
import { KeyBudget } from "../domain/strings/string-file.ts";
import type { HiveLocale, HiveLocales } from "./api/hive-api.ts";
import { Faults } from "./faults.ts";
import type { Project, ReadFile } from "./project.ts";
import type { SourceFile } from "./push-report.ts";
import type { Tree } from "./tree/tree.ts";

/** The files of a tree, read. */
export interface TreeContent {
  readonly tree: Tree;
  readonly sources: readonly SourceFile[];
  /** By the code of the locale and the name in the Hive; files that do not exist or are faulty are left out. */
  readonly targets: ReadonlyMap<string, ReadonlyMap<string, ReadFile>>;
  readonly faults: Faults;
}

/**
 * Reads the source files, and the files of some locales.
 * @param options.strict whether a fault in the file of a target locale is an error, as one in a source file is.
 * @throws ClientError `error` after all files were read; and as {@link Project.tree} does.
 */
export async function readTree(
  project: Project,
  locales: HiveLocales,
  chosen: readonly HiveLocale[],
  options: { readonly allowEmpty: boolean; readonly strict: boolean },
): Promise<TreeContent> {
  const tree = await project.tree(locales, options);
  const faults = new Faults(project);
  const sources: SourceFile[] = [];
  for (const file of tree.files) {
    const read = await faults.collect(locales.source.code, () => project.readSource(file));
    if (read === undefined) continue;
    const { texts } = read;
    const plurals = findPluralForms(texts, KeyBudget.limit);
    sources.push({ file, read, texts, translatable: plurals?.texts ?? texts });
  }
  const targets = new Map<string, ReadonlyMap<string, ReadFile>>();
  for (const { code } of chosen) {
    const files = new Map<string, ReadFile>();
    for (const file of tree.files) {
      const target = file.targets.get(code);
      const read = target && (await faults.collect(code, () => project.read(file, target)));
      if (read !== undefined) files.set(file.name, read);
    }
    targets.set(code, files);
  }
  if (options.strict || !faults.isSound(locales.source.code)) faults.refuse();
  return { tree, sources, targets, faults };
}
