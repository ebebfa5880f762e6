/** Runs a command that runs Vitest, and reads what came of it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readReport, reportVariable, type Report } from "./report.ts";

const reporter = fileURLToPath(new URL("report.ts", import.meta.url));

export interface VitestRun {
  readonly status: number;
  /** Missing where the command ended before its tests did. */
  readonly report: Report | undefined;
}

/**
 * @param command with its arguments; it hands further ones on to Vitest
 * @param reporters of Vitest, beside the one that writes the report
 */
export function runVitest(
  [program = "", ...args]: readonly string[],
  { reporters, env = {} }: { readonly reporters: readonly string[]; readonly env?: NodeJS.ProcessEnv },
): VitestRun {
  const folder = mkdtempSync(join(tmpdir(), "skep-report-"));
  try {
    const path = join(folder, "report.json");
    const options = [...reporters, reporter].map((name) => `--reporter=${name}`);
    const { status, error } = spawnSync(program, [...args, ...options], {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ...env, [reportVariable]: path },
    });
    if (error !== undefined) throw error;
    return { status: status ?? 1, report: readReport(path) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
