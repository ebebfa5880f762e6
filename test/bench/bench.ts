/**
 * Skep's speed as ratios to floors that are measured in the same run. It is no test: it has no limits, and says where
 * a figure misses its goal.
 *
 * `npm run bench` runs all rows; `-- --only import,list` some; `-- --quick` tries the benchmark itself. `-- --only scale`
 * measures what large storages take, of `--hives`, `--strings`, `--locales` and `--commits`; the row db-bytes takes
 * `--commits`, too.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { branchRows } from "./branches.ts";
import { checkRows } from "./checks.ts";
import { cloneRows } from "./clones.ts";
import { consoleRows } from "./console.ts";
import { contentionRows } from "./contention.ts";
import { databaseRows, stopDatabases } from "./postgres/rows.ts";
import { glossaryRows } from "./glossary.ts";
import { growthRows } from "./growth.ts";
import { median, type Row } from "./measure.ts";
import { past } from "./past.ts";
import { pushToLiveRows } from "./push-to-live.ts";
import { reads } from "./reads.ts";
import { removeScratch } from "./skep.ts";
import { stallRows } from "./stalls.ts";
import { starts } from "./starts.ts";
import { workRows } from "./work.ts";
import { writes } from "./writes.ts";

const rows: readonly Row[] = [
  ...reads,
  ...writes,
  ...branchRows,
  ...starts,
  ...cloneRows,
  ...past,
  ...growthRows,
  ...consoleRows,
  ...contentionRows,
  ...stallRows,
  ...checkRows,
  ...glossaryRows,
  ...workRows,
  ...pushToLiveRows,
  ...databaseRows,
];

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "string", default: "bench.json" },
    hives: { type: "string", default: "10000" },
    strings: { type: "string", default: "1000000" },
    locales: { type: "string", default: "20" },
    commits: { type: "string" },
  },
});

interface Result {
  readonly id: string;
  readonly what: string;
  readonly ours: number;
  readonly floor: number;
  readonly ratio: number;
  readonly goal: number;
  /** Left out where this machine has too few processors for the figure to mean anything. */
  readonly met?: boolean;
  readonly unit: string;
  readonly note?: string;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function goalOf({ better, goal }: Row): string {
  return `${better === "higher" ? "≥" : "≤"} ${goal}`;
}

/** What to say of a figure, if anything. @param missed what is said of one that misses its goal. */
function verdict({ id, met }: Pick<Result, "id" | "met">, missed: string): string {
  if (met !== undefined) return met ? "" : missed;
  return ` (n/a: needs ${rows.find((row) => row.id === id)?.processors} processors)`;
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

async function measure(row: Row): Promise<Result> {
  say(`\n${row.what}, against ${row.floor}`);
  const commits = values.commits === undefined ? undefined : Number(values.commits);
  const sides = await row.run({ quick: values.quick, commits, say });
  const ours = median(sides.ours);
  const floor = median(sides.floor);
  const ratio = ours / floor;
  const { id, what, goal, unit, processors = 0 } = row;
  const met = row.better === "higher" ? ratio >= goal : ratio <= goal;
  const isMeaningful = availableParallelism() >= processors;
  const result: Result = { id, what, ours, floor, ratio, goal, unit, ...(isMeaningful ? { met } : {}) };
  say(
    `  ${figure(ours)} ${unit} to ${figure(floor)}: ${ratio.toFixed(2)} (goal ${goalOf(row)})${verdict(result, "  MISSED")}`,
  );
  if (sides.note !== undefined) say(`  ${sides.note}`);
  return sides.note === undefined ? result : { ...result, note: sides.note };
}

const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${process.platform}`;

if (values.only === "scale") {
  const { runScale } = await import("./scale.ts");
  const { hives, strings, locales, commits = 100_000 } = values;
  const shrink = values.quick ? 100 : 1;
  const sizes = {
    hives: Number(hives) / shrink,
    strings: Number(strings) / shrink,
    locales: Number(locales),
    commits: Number(commits) / shrink,
  };
  try {
    const figures = await runScale(sizes, say);
    const time = new Date().toISOString();
    writeFileSync(values.json, `${JSON.stringify({ machine, time, sizes, figures }, null, 2)}\n`);
  } finally {
    removeScratch();
  }
  process.exit();
}

const wanted = values.only?.split(",") ?? rows.map(({ id }) => id);
const unknown = wanted.filter((id) => !rows.some((row) => row.id === id));
if (unknown.length > 0) {
  say(`There is no row ${unknown.join(", ")}; there are ${rows.map(({ id }) => id).join(", ")}.`);
  process.exit(2);
}

const results: Result[] = [];
try {
  for (const row of rows) if (wanted.includes(row.id)) results.push(await measure(row));
} finally {
  await stopDatabases();
  removeScratch();
}

say(`\n${machine}\n`);
say("| Work | Skep | Floor | Ratio | Goal |");
say("| --- | ---: | ---: | ---: | ---: |");
for (const result of results) {
  const { what, ours, floor, ratio, unit } = result;
  const row = rows.find(({ id }) => id === result.id);
  const goal = row === undefined ? "" : goalOf(row) + verdict(result, " (missed)");
  say(`| ${what} | ${figure(ours)} ${unit} | ${figure(floor)} | ${ratio.toFixed(2)} | ${goal} |`);
}
writeFileSync(
  values.json,
  `${JSON.stringify({ machine, time: new Date().toISOString(), quick: values.quick, results }, null, 2)}\n`,
);
