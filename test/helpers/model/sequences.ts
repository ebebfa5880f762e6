/**
 * The real application against a plain model: random sequences of every endpoint and command, with restarts, second
 * processes and commits from outside.
 */
import fc from "fast-check";
import {
  comment,
  comments,
  deleteComment,
  findings,
  note,
  notes,
  picture,
  pictures,
  stale,
  untranslated,
  waiting,
} from "./commands/beside.ts";
import {
  branches,
  customCode,
  fileRemoval,
  hives,
  locales,
  outside,
  plurals,
  quota,
  restart,
  sound,
} from "./commands/hives.ts";
import { glossary, style, term, termDeletion } from "./commands/glossary.ts";
import { merge } from "./commands/merges.ts";
import { exportAt, exportLocale, historyAddsUp, list, tag } from "./commands/reads.ts";
import { steps } from "./commands/steps.ts";
import { move, movingSync, translate, write } from "./commands/texts.ts";
import { undo } from "./commands/undo.ts";
import * as model from "./model.ts";
import * as past from "./past.ts";
import { initialLocales, Real, slugs, type Processes } from "./real.ts";

const all = [
  write,
  write,
  move,
  movingSync,
  translate,
  translate,
  stale,
  untranslated,
  steps,
  steps,
  steps,
  waiting,
  findings,
  picture,
  pictures,
  term,
  term,
  termDeletion,
  style,
  glossary,
  note,
  note,
  notes,
  comment,
  comment,
  deleteComment,
  comments,
  undo,
  undo,
  list,
  exportLocale,
  tag,
  exportAt,
  historyAddsUp,
  locales,
  customCode,
  fileRemoval,
  plurals,
  quota,
  hives,
  branches,
  branches,
  merge,
  merge,
  merge,
  restart,
  sound,
];

/**
 * Compares the real thing with the model in random sequences.
 * @param make makes what each sequence begins with.
 */
export async function expectAnswersOfModel(make: () => Promise<Processes>, numRuns: number): Promise<void> {
  const commands = fc.commands([...all, outside], { maxCommands: 30 });
  await fc.assert(
    fc.asyncProperty(commands, fc.infiniteStream(fc.nat({ max: 7 })), async (sequence, picks) => {
      const processes = await make();
      try {
        const real = new Real(processes, () => picks.next().value ?? 0);
        await real.start();
        const m = model.newModel();
        for (const name of slugs) {
          const hive = model.newHive(initialLocales);
          past.record(hive, await real.head(name));
          m.hives.set(name, hive);
        }
        await fc.asyncModelRun(() => ({ model: m, real }), sequence);
        await real.end();
      } finally {
        await processes.close?.();
      }
    }),
    { numRuns },
  );
}
