/** Tells a broken commit from an unlucky test. */
import type { FileOutcome, Report } from "./report.ts";

/** More files than this that fail once are no bad luck. */
export const maxFlaky = 5;

/** A script of tests: its exit status, and its report, which is missing where it ended before its tests did. */
export interface ScriptRun {
  readonly script: string;
  readonly status: number;
  readonly report: Report | undefined;
}

/** Files that are run once more, alone; or why the run has failed whatever these would do. */
export type Verdict = { readonly again: readonly FileOutcome[] } | { readonly broken: string };

/**
 * Judges the first run of all scripts. Only files of tests get a second run: format, lint, types, dead code and the build
 * are the same each time.
 */
export function judge(runs: readonly ScriptRun[]): Verdict {
  for (const { script, status, report } of runs) {
    if (report === undefined)
      return { broken: `npm run ${script} ended before its tests (exit status ${status}).` };
    const [error] = report.errors;
    const failed = failedFiles(report);
    // The error of a worker that died stands beside the file that it was running.
    const hasEnded = failed.every(({ failures }) => failures.every(({ test }) => test !== "(the file)"));
    if (error !== undefined && hasEnded) return { broken: `npm run ${script}: ${error}` };
    if (status !== 0 && failed.length === 0)
      return { broken: `npm run ${script} failed (exit status ${status}), but none of its files did.` };
  }
  const again = runs.flatMap(({ report }) => (report === undefined ? [] : failedFiles(report)));
  if (again.length > maxFlaky) return { broken: `${again.length} files failed, which are not run again.` };
  return { again };
}

/** The files of a report that did not pass. */
export function failedFiles({ files }: Report): readonly FileOutcome[] {
  return files.filter(({ failures }) => failures.length > 0);
}

/** What failed in a file, for the end of a log. */
export function describe({ path, failures }: FileOutcome): string {
  return failures.map(({ test, message }) => `${path}: ${test}:\n${message.slice(0, 4_000)}`).join("\n");
}
