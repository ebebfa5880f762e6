/** Who or what made the texts of a commit, as its caller said. */
import { invalid } from "../errors.ts";
import { textProblem, unprintable } from "../text.ts";

export const originKinds = ["person", "script", "model"] as const;
export type OriginKind = (typeof originKinds)[number];

export interface Origin {
  readonly kind: OriginKind;
  readonly name?: string;
  /** The model's prompt: a name or a hash. */
  readonly prompt?: string;
}

/** The headers of a request that say its origin. */
export const originHeaders = ["X-Commit-Origin", "X-Commit-Model", "X-Commit-Prompt"] as const;

/** The most characters of each. */
export const maxOriginLength = 200;

export function isOriginKind(text: string | undefined): text is OriginKind {
  return originKinds.some((kind) => kind === text);
}

/** Why a text can be no model and no prompt; undefined where it can. */
export function originProblem(value: string): string | undefined {
  if (Array.from(value).length > maxOriginLength) return `must be at most ${maxOriginLength} characters`;
  const isPrintable = textProblem(value) === undefined && value.search(unprintable) === -1;
  return isPrintable ? undefined : "must not contain control or format characters";
}

/**
 * Parses the origin that a request names.
 * @param valueOf gives the value of a header.
 * @returns undefined where it names none.
 * @throws SkepError `invalid` on the header for another kind, for a model or a prompt without one, for a value that is too
 * long, and for one with control or format characters.
 */
export function toOrigin(
  valueOf: (header: (typeof originHeaders)[number]) => string | undefined,
): Origin | undefined {
  const [kind, name, prompt] = originHeaders.map((header) => {
    const value = valueOf(header)?.trim() || undefined;
    const problem = value === undefined ? undefined : originProblem(value);
    if (problem !== undefined) throw invalid(header, problem);
    return value;
  });
  if (kind !== undefined && !isOriginKind(kind))
    throw invalid("X-Commit-Origin", `must be ${originKinds.join(", ")}`);
  if (kind !== undefined) return { kind, name, prompt };
  if (name === undefined && prompt === undefined) return undefined;
  throw invalid("X-Commit-Origin", "must be given with X-Commit-Model and X-Commit-Prompt");
}
