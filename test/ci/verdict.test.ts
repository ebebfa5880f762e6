import { expect, it } from "vitest";
import type { FileOutcome, Report } from "./report.ts";
import { judge, maxFlaky, type ScriptRun } from "./verdict.ts";

const passed = (path: string): FileOutcome => ({
  path,
  project: "quick",
  passed: 2,
  failed: 0,
  failures: [],
});
const failed = (path: string, test = "adds"): FileOutcome => ({
  ...passed(path),
  failed: 1,
  failures: [{ test, message: "Error: 1 is not 2" }],
});
const run = (status: number, files: readonly FileOutcome[], errors: readonly string[] = []): ScriptRun => {
  const report: Report = { files, errors };
  return { script: "test", status, report };
};
const many = (count: number): FileOutcome[] =>
  Array.from({ length: count }, (_, i) => failed(`${i}.test.ts`));

it.each<[string, readonly ScriptRun[], readonly string[] | RegExp]>([
  ["nothing fails", [run(0, [passed("a")])], []],
  ["one file fails", [run(1, [passed("a"), failed("b")])], ["b"]],
  ["files of two scripts fail", [run(1, [failed("a")]), run(1, [failed("b")])], ["a", "b"]],
  [
    "as many fail as may be unlucky",
    [run(1, many(maxFlaky))],
    ["0", "1", "2", "3", "4"].map((n) => `${n}.test.ts`),
  ],
  ["one more fails", [run(1, many(maxFlaky + 1))], /6 files failed/],
  [
    "lint fails, so that no test runs",
    [{ script: "test", status: 1, report: undefined }],
    /test ended before its tests/,
  ],
  [
    "the second script ends before its tests",
    [run(0, []), { script: "rare", status: 0, report: undefined }],
    /rare ended/,
  ],
  ["an error belongs to no file", [run(1, [passed("a")], ["Error: lost"])], /Error: lost/],
  [
    "an error belongs to no file, beside a file that failed",
    [run(1, [failed("a")], ["Error: lost"])],
    /Error: lost/,
  ],
  [
    "a worker died, so that its file did not end",
    [run(1, [failed("a", "(the file)")], ["Error: killed"])],
    ["a"],
  ],
  ["a run fails, and no file of it", [run(1, [passed("a")])], /none of its files did/],
])("where %s, the files that run again or the reason not to are right", (_case, runs, expected) => {
  const verdict = judge(runs);
  if (expected instanceof RegExp) expect(verdict).toEqual({ broken: expect.stringMatching(expected) });
  else expect("again" in verdict && verdict.again.map(({ path }) => path)).toEqual(expected);
});
