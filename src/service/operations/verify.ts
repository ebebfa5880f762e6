/** Verifies a storage, and repairs faults where this loses nothing. */
import { isSkepError } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { OperationsStorage } from "../storage.ts";

export interface FoundProblem {
  /** The Hive that has it; undefined for the storage as a whole. */
  readonly hive?: HiveSlug;
  readonly problem: string;
  readonly repaired?: string;
}

/** Called with what begins now, while long work is done. */
export type OnStep = (step: string) => void;

/** What a step does to one of several Hives. */
export function stepOf(what: string, hive: HiveSlug, at: number, total: number): string {
  return `${what} ${hive}${total > 1 ? ` (${at + 1} of ${total})` : ""}`;
}

export interface VerifyOptions {
  /** The only Hive to check; by default the settings and all Hives are checked. */
  readonly slug?: HiveSlug;
  /** Whether to repair faults where this loses nothing. */
  readonly repair: boolean;
  readonly onStep?: OnStep;
}

/**
 * Verifies a storage, which may be in use.
 * @throws SkepError `not-found` when no team has the Hive.
 */
export async function* verify(
  storage: OperationsStorage,
  { slug, repair, onStep }: VerifyOptions,
): AsyncGenerator<FoundProblem> {
  const { verifier, registry, record } = storage;
  if (slug === undefined) {
    onStep?.("Checking the settings");
    await record.completeCopy?.();
    for (const finding of [...(await verifier.checkOwnership()), ...(await verifier.checkSettings())]) {
      yield { problem: finding.problem, ...(await repairIf(finding.repair, repair)) };
    }
    for await (const { problem } of verifier.checkTrash()) yield { problem };
  } else {
    await storage.registry.teamOfHive(slug);
    await record.refresh([slug]);
  }
  const { teams } = await registry.readable();
  const slugs = slug === undefined ? teams.flatMap((team) => team.hives) : [slug];
  for (const [at, hive] of slugs.entries()) {
    onStep?.(stepOf("Checking", hive, at, slugs.length));
    for await (const finding of verifier.checkHive(hive)) {
      yield { hive, problem: finding.problem, ...(await repairIf(finding.repair, repair)) };
    }
    yield* checkRecorded(storage, hive);
  }
}

/** Compares the numbers that a database gives of a Hive for lists and quotas with the Hive's repository. */
async function* checkRecorded(
  { hives, record }: OperationsStorage,
  hive: HiveSlug,
): AsyncGenerator<FoundProblem> {
  const strings = await record.repositories.strings([hive]);
  if (strings === undefined) return;
  const recorded = await record.repositories.overview(hive);
  try {
    const { index, commit } = await hives.at(hive).snapshot();
    if (strings !== index.stringCount) {
      yield {
        hive,
        problem: `the database counts ${strings} strings, and the Hive has ${index.stringCount}`,
      };
    }
    if (recorded !== undefined && recorded.head !== commit.oid) {
      yield {
        hive,
        problem: `the database lists the Hive at ${recorded.head}, and main is at ${commit.oid}`,
      };
    }
  } catch (error) {
    // A Hive that cannot be read is a problem already.
    if (!isSkepError(error)) throw error;
  }
}

/** Verifies the settings and the Hives at HEAD, without the history and without git's own checks. */
export async function* verifyHeads(
  { verifier, registry }: OperationsStorage,
  onStep?: OnStep,
): AsyncGenerator<FoundProblem> {
  for (const { problem } of await verifier.checkSettings()) yield { problem };
  const { teams } = await registry.readable();
  const hives = teams.flatMap((team) => team.hives);
  for (const [at, hive] of hives.entries()) {
    onStep?.(stepOf("Checking", hive, at, hives.length));
    for (const { problem } of await verifier.checkContent(hive)) yield { hive, problem };
  }
}

async function repairIf(
  repair: (() => Promise<string>) | undefined,
  wanted: boolean,
): Promise<Pick<FoundProblem, "repaired">> {
  return repair === undefined || !wanted ? {} : { repaired: await repair() };
}
