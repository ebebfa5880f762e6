/** The YAML files of mirrors: the mirrors of a Hive, and the state of each. */
import { z } from "zod";
import { isBranchName, type BranchName } from "../../domain/commits/branch-name.ts";
import { failureKinds, type Mirror, type MirrorState, type PushFailure } from "../../domain/hives/mirror.ts";
import { isMirrorUrl, type MirrorUrl } from "../../domain/hives/mirror-url.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { formatStored, parseStored } from "./stored-settings.ts";

const time = z.iso.datetime();
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const oid = z.custom<Oid>((value) => typeof value === "string" && isOid(value));
// An address that was written into the file by hand must be safe to pass to git, too.
const mirrorUrl = z.custom<MirrorUrl>((value) => typeof value === "string" && isMirrorUrl(value));
const mirror = z
  .strictObject({ url: mirrorUrl, added: time, branches: z.boolean().optional() })
  .transform(({ url, added, branches }) => ({
    url,
    added,
    branches: branches === true ? branches : undefined,
  }));

const mirrorsFile = z.strictObject({ mirrors: z.array(mirror) });

const failureFields = z.strictObject({
  kind: z.enum(failureKinds),
  error: z.string(),
  refs: digest,
  at: time,
  attempts: z.number().int().positive(),
  retry_at: time,
});

const branchName = z.custom<BranchName>((value) => typeof value === "string" && isBranchName(value));
const branches = z.array(z.strictObject({ name: branchName, commit: oid }));
const pushedFields = z.strictObject({ commit: oid, refs: digest, at: time, branches: branches.optional() });

const stateFields = z.strictObject({
  mirror,
  pushed: pushedFields.optional(),
  failure: failureFields.optional(),
});

const statesFile = z.strictObject({ states: z.array(stateFields) });

/** @throws InvalidSettings when the file is not a list of mirrors, or an address must not be passed to git. */
export function parseMirrors(text: string): readonly Mirror[] {
  return parseStored("mirrors", mirrorsFile, text).mirrors;
}

/** @throws Error when {@link parseMirrors} could not read it. */
export function formatMirrors(mirrors: readonly Mirror[]): string {
  return formatStored({ mirrors }, mirrors, parseMirrors);
}

/** @throws InvalidSettings when the file is not a list of states. */
export function parseStates(text: string): readonly MirrorState[] {
  return parseStored("mirror-states", statesFile, text).states.map(toState);
}

function toState({ mirror: known, pushed, failure }: z.infer<typeof stateFields>): MirrorState {
  return {
    mirror: known,
    pushed,
    failure: failure === undefined ? undefined : toFailure(failure),
  };
}

function toFailure({ retry_at: retryAt, ...failure }: z.infer<typeof failureFields>): PushFailure {
  return { ...failure, retryAt };
}

/** @throws Error when {@link parseStates} could not read it. */
export function formatStates(states: readonly MirrorState[]): string {
  return formatStored({ states: states.map(toFields) }, states, parseStates);
}

function toFields({ failure, ...state }: MirrorState): object {
  if (failure === undefined) return state;
  const { retryAt, ...fields } = failure;
  return { ...state, failure: { ...fields, retry_at: retryAt } };
}
