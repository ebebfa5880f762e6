/** Loads modules at their first use, but not where the process can open few more files. */
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** The pages open the most files at once when they are loaded: about 60. */
const neededFiles = 128;

/**
 * Makes a function that loads a module at its first call. Node keeps the failure to load a module as long as the process
 * runs, so no load is begun that would meet the limit of open files.
 * @returns a function that throws the system's error for that limit; a later call tries again.
 */
export function onDemand<T>(load: () => Promise<T>): Kept<T> {
  return once(async () => {
    requireFiles();
    return load();
  });
}

/** Whether a module could not be loaded as it is not there: Skep's files were replaced while it ran. */
export function isMissingModule(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}

/** Gives what it keeps; makes it again after it was cleared. */
export interface Kept<T> {
  (): Promise<T>;
  readonly clear: () => void;
}

/** Makes a function that keeps the result of its first call; after a failure, the next call tries again. */
export function once<T>(make: () => Promise<T>): Kept<T> {
  let made: Promise<T> | undefined;
  const get = (): Promise<T> => {
    if (made === undefined) {
      made = make();
      made.catch(() => (made = undefined));
    }
    return made;
  };
  return Object.assign(get, { clear: () => void (made = undefined) });
}

function requireFiles(): void {
  const opened: number[] = [];
  try {
    while (opened.length < neededFiles) opened.push(openSync(devNull, "r"));
  } finally {
    for (const file of opened) closeSync(file);
  }
}
