/** The rules for Prometheus in deploy/monitoring, evaluated by promtool as Prometheus evaluates them. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { realFolder } from "../helpers/storage.ts";
import { root } from "./dockerfile.ts";
import { isInstalled } from "./proxy.ts";

export const monitoring = join(root, "deploy/monitoring");
const rulesFile = join(monitoring, "skep-rules.yml");

export const isWithoutPromtool = !isInstalled("promtool", "--version");

const rulesSchema = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({ alert: z.string(), expr: z.string(), labels: z.object({ severity: z.string() }) }),
      ),
    }),
  ),
});

/** The rules by the names of their alerts. */
export const rules = new Map(
  rulesSchema
    .parse(parse(readFileSync(rulesFile, "utf8")))
    .groups.flatMap((group) => group.rules.map((rule) => [rule.alert, rule])),
);

/** Runs promtool. @returns what it says, if it finds something wrong. */
export function promtool(...args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile("promtool", args, { encoding: "utf8" }, (error, stdout, stderr) => {
      resolve(error === null ? undefined : stdout + stderr);
    });
  });
}

/** Values by series, a minute apart, in promtool's notation: `0+0x5 1+0x60` is 0 for six minutes and 1 from then on. */
export type Series = Readonly<Record<string, string>>;

export interface Firing {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** Has all rules evaluated. @returns what is otherwise than that exactly these alerts fire after so many minutes. */
export function evaluate(
  series: Series,
  minutes: number,
  firing: readonly Firing[],
): Promise<string | undefined> {
  const file = join(realFolder(), "test.yml");
  const test = {
    interval: "1m",
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: Array.from(rules, ([alert, { labels }]) => ({
      eval_time: `${minutes}m`,
      alertname: alert,
      exp_alerts: firing
        .filter((expected) => expected.alert === alert)
        .map((expected) => ({
          exp_labels: { ...labels, ...expected.labels },
          exp_annotations: { summary: expected.summary },
        })),
    })),
  };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: "1m", tests: [test] }));
  return promtool("test", "rules", file);
}

/** Has the expressions of a dashboard read. @returns what is wrong with them. */
export function checkExpressions(expressions: readonly string[]): Promise<string | undefined> {
  const file = join(realFolder(), "rules.yml");
  const recorded = expressions.map((expr, i) => ({
    record: `shown:${i}`,
    expr: expr.replaceAll("$__rate_interval", "5m"),
  }));
  writeFileSync(file, JSON.stringify({ groups: [{ name: "shown", rules: recorded }] }));
  return promtool("check", "rules", file);
}
