/** The templates of gettext and Fluent, which are source files without a code, for the files of a pattern. */
import { basename } from "node:path";
import { matcherOf, parsePattern } from "./pattern.ts";
import { noCode, type Candidate } from "./proposed-source.ts";

/**
 * Finds the templates of a pattern.
 * @param path the pattern, with `{locale}` in it.
 * @param own its files.
 * @param files all files of the tree, by their paths.
 * @returns the pattern of the templates, with the same wildcards; undefined where there are none.
 */
export function templatesOf(
  path: string,
  own: readonly Candidate[],
  files: ReadonlySet<string>,
): string | undefined {
  const beside = /\.(?:po|ftl)$/.test(path) ? templatesBeside(path, own, files) : undefined;
  if (beside !== undefined || !path.endsWith(".po")) return beside;
  const before = path.slice(0, path.indexOf("{locale}"));
  const folder = folderOf(before);
  const templates = [...files].filter((file) => file.endsWith(".pot") && folderOf(file) === folder);
  if (path.endsWith("/LC_MESSAGES/*.po"))
    return templates.length > 0 ? `${folder}*.pot` : templatesAbove(folder, own, files);
  if (path.includes("*")) return mostHave(own, templates) ? `${folder}**/*.pot` : undefined;
  // WordPress and Drupal have the name of the plugin or module before the code.
  const named = templates.find((file) => file === `${before.replace(/[._-]$/, "")}.pot`);
  return named ?? (templates.length === 1 ? templates[0] : undefined);
}

/** The folder of a file, with a slash at its end; nothing for the root. */
function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf("/") + 1);
}

/** Whether most names of the files of a pattern are those of templates. */
function mostHave(own: readonly Candidate[], templates: readonly string[]): boolean {
  const known = new Set(templates.map((file) => basename(file).replace(/\.pot$/, ".po")));
  const names = [...new Set(own.map(({ file }) => basename(file)))];
  return names.filter((name) => known.has(name)).length * 2 >= names.length;
}

/** The files that lie in a folder `templates` as those of each locale do in its own, as projects with Pontoon have them. */
function templatesBeside(
  path: string,
  own: readonly Candidate[],
  files: ReadonlySet<string>,
): string | undefined {
  const [, before = "", rest] = /^((?:[^{*]*\/)?)\{locale\}(\/.*)$/.exec(path) ?? [];
  if (rest === undefined) return undefined;
  const folder = `${before}templates`;
  const source = folder + rest.replace(/\.po$/, ".pot");
  const matches = matcherOf(parsePattern(source), noCode);
  const there = [...files].filter((file) => file.startsWith(folder) && matches(file) !== undefined);
  return there.length > 0 && mostHave(own, there) ? source : undefined;
}

/**
 * The templates in the nearest folder above that has some, as Flask-Babel writes them into the folder of the app. They must
 * have the names of the files, since another program's could lie there.
 */
function templatesAbove(
  folder: string,
  own: readonly Candidate[],
  files: ReadonlySet<string>,
): string | undefined {
  const templates = [...files].filter((file) => file.endsWith(".pot"));
  const names = new Set(own.map(({ file }) => `${basename(file)}t`));
  const folders = folder.split("/").slice(0, -1);
  const above = folders.map((_, i) =>
    folders
      .slice(0, i)
      .map((name) => `${name}/`)
      .join(""),
  );
  const nearest = above.toReversed().find((one) => templates.some((file) => folderOf(file) === one));
  if (nearest === undefined) return undefined;
  const there = templates.filter((file) => folderOf(file) === nearest);
  return there.every((file) => names.has(basename(file))) ? `${nearest}*.pot` : undefined;
}
