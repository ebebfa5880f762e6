import { basename } from "node:path";

/**
 * Imports a module anew, with state of its own: test files of one worker share modules, and what other files have left
 * in the state of a module must not decide a test about it.
 * @param importer the URL of the test file.
 * @param path of the module, from there; modules that it imports are shared.
 */
export async function importOwn<T>(importer: string, path: string): Promise<T> {
  const module: T = await import(`${new URL(path, importer).pathname}?for=${basename(importer)}`);
  return module;
}
