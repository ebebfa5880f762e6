/** Teams: they own Hives and tokens and have one quota. */
import type { HiveSlug, TeamName } from "../names.ts";

export interface Team {
  readonly name: TeamName;
  /** The quota of source strings over all its Hives; unlimited if undefined. */
  readonly maxStrings?: number;
  /** Whether commits of a person carry their mail address; undefined for no. */
  readonly mailOnCommits?: true;
  /** In order of creation. A repository that no team lists is orphaned. */
  readonly hives: readonly HiveSlug[];
}
