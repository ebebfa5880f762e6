/** The rule of a locale that has an engine translate by itself what comes into it. */

/** Which strings an engine translates. Of those that have a text, only a machine's that nobody has approved is replaced. */
export const jobWants = ["missing", "stale", "failing"] as const;
export type JobWant = (typeof jobWants)[number];
/** What a job translates that names no states. */
export const usualJobWant: readonly JobWant[] = ["missing"];
/** What a rule translates that names no states. */
export const usualRuleWant: readonly JobWant[] = ["missing", "stale"];

export interface LocaleRule {
  /** The name of an engine of the team. While there is none of the name, the rule is idle. */
  readonly engine: string;
  readonly want: readonly JobWant[];
  /** Whether branches are translated, too. */
  readonly branches?: true;
  /** Whether the texts wait for a review; those of models do where it is undefined. A locale whose review is `all` beats it. */
  readonly review?: "always" | "never";
}
