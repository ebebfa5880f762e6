/** What a run of Vitest came to, as a file: which test files failed, by what. `.ci/run` and `test:shake` read it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";

/** Names the file that {@link OutcomeReporter} writes. */
export const reportVariable = "SKEP_TEST_REPORT";

/** Why a file of tests failed: a test, with its error, or what happened outside of all tests. */
export interface Failure {
  readonly test: string;
  readonly message: string;
}

/** The tests of one file. */
export interface FileOutcome {
  /** From the root of the project. */
  readonly path: string;
  readonly project: string;
  readonly passed: number;
  readonly failed: number;
  /** Empty where the file passed. */
  readonly failures: readonly Failure[];
}

export interface Report {
  readonly files: readonly FileOutcome[];
  /** Errors that belong to no file of tests. */
  readonly errors: readonly string[];
}

/** @returns what a run came to; `undefined` where it ended before its tests did. */
export function readReport(path: string): Report | undefined {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

type RunEnd = Parameters<NonNullable<Reporter["onTestRunEnd"]>>;

/** Writes the {@link Report} of a run. */
export default class OutcomeReporter implements Reporter {
  #root = process.cwd();

  onInit({ config }: Vitest): void {
    this.#root = config.root;
  }

  onTestRunEnd(modules: RunEnd[0], unhandled: RunEnd[1]): void {
    const path = process.env[reportVariable];
    if (path === undefined) throw new Error(`${reportVariable} names no file.`);
    const outside = unhandled.map((error) => {
      const file: unknown = error["VITEST_TEST_PATH"];
      return { file, message: textOf(error) };
    });
    const files = modules.map((module) => {
      const own = outside.filter(({ file }) => file === module.moduleId);
      return outcomeOf(
        module,
        relative(this.#root, module.moduleId),
        own.map(({ message }) => message),
      );
    });
    const known = new Set<unknown>(modules.map(({ moduleId }) => moduleId));
    const errors = outside.filter(({ file }) => !known.has(file)).map(({ message }) => message);
    writeFileSync(path, JSON.stringify({ files, errors } satisfies Report));
  }
}

/** Some errors, such as a test that took too long, have a stack without their message. */
function textOf({ message, stack = "" }: { readonly message: string; readonly stack?: string }): string {
  return stack.includes(message) ? stack : `${message}\n${stack}`;
}

function outcomeOf(module: TestModule, path: string, outside: readonly string[]): FileOutcome {
  const failures: Failure[] = [];
  let [passed, failed] = [0, 0];
  const add = (
    test: string,
    errors: readonly { readonly message: string; readonly stack?: string }[],
  ): void => {
    failures.push({ test, message: errors.map(textOf).join("\n") });
  };
  for (const test of module.children.allTests()) {
    const { state, errors } = test.result();
    if (state === "passed") passed++;
    if (state === "failed") {
      failed++;
      add(test.fullName, errors ?? []);
    }
  }
  for (const suite of module.children.allSuites())
    if (suite.errors().length > 0) add(suite.fullName, suite.errors());
  if (module.errors().length > 0) add("(loading the file)", module.errors());
  for (const message of outside) failures.push({ test: "(outside of a test)", message });
  const state = module.state();
  // A worker that died leaves its file without a result.
  if (failures.length === 0 && state !== "passed" && state !== "skipped")
    failures.push({ test: "(the file)", message: `It did not end: it is ${state}.` });
  return { path, project: module.project.name, passed, failed, failures };
}
