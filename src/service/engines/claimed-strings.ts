/** Claims the strings that a job asks its engine for next, as any caller claims them. */
import { hash } from "node:crypto";
import type { Engine } from "../../domain/engines/engine.ts";
import type { EngineJob } from "../../domain/engines/job.ts";
import { usualJobWant } from "../../domain/hives/locale-rule.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { AddressMap, type StringAddress } from "../../domain/move.ts";
import type { TeamName } from "../../domain/names.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import type { WorkItem } from "../../domain/work/work.ts";
import type { Caller } from "../access.ts";
import type { ContentStorage, DeliveryStorage } from "../storage.ts";
import { readTerms } from "../terms.ts";
import { nextWork, type Work, type WorkRequest } from "../work/next-work.ts";
import { branchOf } from "./jobs.ts";
import { openForms, openTexts, type IsOpen } from "./open-texts.ts";

/** How many strings one batch has. */
const batchItems = 25;
/** For how long a batch is claimed: for two requests, and to store the answers. */
export const claimSeconds = 180;

/** A job with what it needs. */
export interface Running {
  readonly job: EngineJob;
  readonly team: TeamName;
  readonly caller: Caller;
  readonly engine: Engine;
  readonly locales: readonly Locale[];
  readonly source: SourceFiles;
  readonly signal: AbortSignal;
}

/** Strings of one locale that the caller has claimed. */
export interface Claimed {
  readonly locale: Locale;
  readonly work: Work;
  readonly isOpen: IsOpen;
  /** The keys of the forms of a string that the engine is asked for. */
  readonly openIn: (item: WorkItem) => ReadonlySet<string>;
  /** The hash of a string with all that the engine is told of it. */
  readonly hashOf: (item: Pick<WorkItem, "file" | "key" | "expected">) => string;
}

const noForms: ReadonlySet<string> = new Set();

/** Claims strings of the first locale that has some; undefined where none has. */
export async function claimedIn(
  storage: ContentStorage & DeliveryStorage,
  running: Running,
): Promise<Claimed | undefined> {
  const { job, caller, engine, locales, team, signal } = running;
  const { want = usualJobWant } = job;
  const branch = branchOf(job);
  const left = (job.maxItems ?? Infinity) - job.saved - job.refused;
  const tried = new Set((await storage.engineJobs.read(team)).tried);
  const { version } = await readTerms(storage, job.hive);
  const { key: _, added: __, maxCharactersPerDay: ___, locales: ____, suggest: _____, ...asks } = engine;
  for (const locale of locales) {
    const about = JSON.stringify([job.hive, asks, locale.code, version]);
    const hashOf: Claimed["hashOf"] = ({ file, key, expected }) => hashed([about, file, key, expected]);
    const isOpen = await openTexts(storage, branch, { locale, want, signal });
    const open = new AddressMap<ReadonlySet<string>>();
    const isLeftOut: WorkRequest["isLeftOut"] = (at, file, expected) => {
      const forms = openForms(isOpen, at.file, file, at.key);
      open.set(at, forms);
      return forms.size === 0 || tried.has(hashOf({ ...at, expected }));
    };
    const work = await nextWork(storage, caller, branch, {
      locale: codeOf(locale),
      want,
      maxItems: Math.min(batchItems, left),
      claimSeconds,
      isLeftOut,
    });
    const openIn = (at: StringAddress): ReadonlySet<string> => open.get(at) ?? noForms;
    if (work.items.length > 0) return { locale, work, isOpen, openIn, hashOf };
  }
  return undefined;
}

function hashed(parts: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(parts), "base64url").slice(0, 16);
}
