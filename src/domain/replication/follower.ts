/** Followers, which are servers that copy a storage, and the form of their secrets. */
import { isFollowerName, type FollowerName } from "../names.ts";

/** The stored fields of a follower; its secret is never stored. */
export interface FollowerEntry {
  readonly name: FollowerName;
  /** SHA-256 of the whole secret, in hexadecimal digits. */
  readonly hash: string;
  /** ISO 8601, UTC. */
  readonly created: string;
  /** Whether it may say that it, or another server, took over: nothing can be changed here from then on. */
  readonly mayTakeOver: boolean;
}

/** The whole secret of a follower. @param random see the pattern of tokens. */
export function toSecret(name: FollowerName, random: string): string {
  return `skepf_${name}_${random}`;
}

const secretPattern = /^skepf_([a-z0-9-]{1,64})_[0-9A-Za-z]{27,128}$/;

/** The name in a follower's secret; undefined when the text does not have the form of one. */
export function nameInSecret(text: string): FollowerName | undefined {
  const name = secretPattern.exec(text)?.[1];
  return name !== undefined && isFollowerName(name) ? name : undefined;
}
