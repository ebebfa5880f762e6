/** Faulty files: a command reports all of them, leaves their locales out and goes on with the others. */
import { isAbsolute, relative } from "node:path";
import { counted } from "../domain/text.ts";
import { ClientError } from "./api/client-error.ts";

/** A file that cannot be read, or cannot be written with the texts of the Hive. */
export interface FaultyFile {
  readonly locale: string;
  readonly path: string;
  /** The problem, beginning with the path and line. */
  readonly message: string;
}

/** The faults that a command finds. */
export class Faults {
  readonly #folder: string;
  readonly #report: (error: ClientError) => void;
  readonly #files: FaultyFile[] = [];

  /** @param folder the folder of `skep.yaml`. @param report is called with each fault. */
  constructor(folder: string, report: (error: ClientError) => void) {
    this.#folder = folder;
    this.#report = report;
  }

  get files(): readonly FaultyFile[] {
    return this.#files;
  }

  /** Whether no fault was found in the files of a locale. */
  isSound(locale: string): boolean {
    return this.#files.every((file) => file.locale !== locale);
  }

  /** Runs work on one file. @returns undefined when the file is faulty; the fault is reported. */
  async collect<T>(locale: string, run: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ClientError) || error.kind !== "error" || error.position === undefined)
        throw error;
      const { file } = error.position;
      this.#report(error);
      const path = isAbsolute(file) ? relative(this.#folder, file) : file;
      this.#files.push({ locale, path, message: error.message });
      return undefined;
    }
  }

  /** @throws ClientError `error` when there is a fault. */
  refuse(): void {
    if (this.#files.length === 0) return;
    throw new ClientError("error", `Faults in ${counted(this.#files.length, "file")}: nothing was done.`);
  }
}

/**
 * Ends a command that left locales out.
 * @param done a participle for the other locales, such as "sent".
 * @throws ClientError `error` when there are faults.
 */
export function checkFaults(faults: readonly FaultyFile[], done: string): void {
  if (faults.length === 0) return;
  const locales = [...new Set(faults.map(({ locale }) => locale))].join(", ");
  const files = counted(faults.length, "file");
  throw new ClientError("error", `Faults in ${files}: nothing of ${locales} was ${done}.`);
}
