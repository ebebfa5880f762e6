/** Reads all files of a tree before anything is sent or written, so that every fault is known by then. */
import { findPluralForms } from "../domain/strings/plural-forms.ts";
import { KeyBudget, type Texts } from "../domain/strings/string-file.ts";
import type { HiveLocale, HiveLocales } from "./api/hive-api.ts";
import { Faults } from "./faults.ts";
import type { Project, ReadFile } from "./project.ts";
import type { SourceFile } from "./push-report.ts";
import type { Tree } from "./tree/tree.ts";

export interface SourceContent {
  readonly tree: Tree;
  readonly sources: readonly SourceFile[];
  readonly faults: Faults;
}

/** The files of one locale by the name in the Hive; files that do not exist or are faulty are left out. */
export type LocaleFiles = ReadonlyMap<string, ReadFile>;

export interface TreeContent extends SourceContent {
  /** By the code of the locale. */
  readonly targets: ReadonlyMap<string, LocaleFiles>;
}

/**
 * Reads the source files, and the files of some locales.
 * @param options.strict whether a fault in the file of a target locale is an error, too.
 * @throws ClientError as {@link readSources} does.
 */
export async function readTree(
  project: Project,
  locales: HiveLocales,
  chosen: readonly HiveLocale[],
  options: { readonly allowEmpty: boolean; readonly strict: boolean },
): Promise<TreeContent> {
  const content = await readSources(project, locales, chosen, options);
  const targets = new Map<string, LocaleFiles>();
  for (const { code } of chosen) targets.set(code, await readLocale(project, content, code));
  if (options.strict) content.faults.refuse();
  return { ...content, targets };
}

/**
 * Reads the source files.
 * @throws ClientError `error` when one is faulty, after the files of the chosen locales were read, so that all faults are
 * reported; and as {@link Project.tree} does.
 */
export async function readSources(
  project: Project,
  locales: HiveLocales,
  chosen: readonly HiveLocale[],
  options: { readonly allowEmpty: boolean },
): Promise<SourceContent> {
  const tree = await project.tree(locales, options);
  const faults = new Faults(project.config.folder, project.context.fault);
  const sources: SourceFile[] = [];
  for (const file of tree.files) {
    const read = await faults.collect(locales.source.code, () => project.readSource(file));
    if (read === undefined) continue;
    const { texts } = read;
    const plurals = findPluralForms(texts, KeyBudget.limit);
    sources.push({ file, read, texts, translatable: plurals?.texts ?? texts });
  }
  const content = { tree, sources, faults };
  if (faults.files.length > 0) {
    for (const { code } of chosen) await readLocale(project, content, code);
    faults.refuse();
  }
  return content;
}

/** Reads the files of a target locale; faults in them are reported. */
export async function readLocale(
  project: Project,
  { tree, sources, faults }: SourceContent,
  code: string,
): Promise<LocaleFiles> {
  const files = new Map<string, ReadFile>();
  const texts = textsByFile(sources);
  for (const file of tree.files) {
    const target = file.targets.get(code);
    const read =
      target && (await faults.collect(code, () => project.read(file, target, texts.get(file.name))));
    if (read !== undefined) files.set(file.name, read);
  }
  return files;
}

/** The texts of source files by the names of the files in the Hive. */
export function textsByFile(sources: readonly SourceFile[]): ReadonlyMap<string, Texts> {
  return new Map(sources.map(({ file, texts }) => [file.name, texts]));
}
