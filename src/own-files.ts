/**
 * Where Skep's own files lie: beside the code, at the same paths in the sources and in the build, which holds the code of
 * many modules in one file. So a module's own address says nothing of where its files are.
 */

/** The ending of modules that a thread can be started with: of the sources, which not each Node can run, or of the build. */
export const codeEnding = import.meta.url.endsWith(".ts") ? ".ts" : ".js";

/**
 * The folder `src`, or `dist`: as the entries of the build share this module, its code is in the folder `code`, where all is
 * that several of them have.
 */
const root = new URL(codeEnding === ".ts" ? "./" : "../", import.meta.url);

/** @param path of a file, from the folder `src` or `dist`. */
export function ownFile(path: string): URL {
  return new URL(path, root);
}
