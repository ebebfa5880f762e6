/** Teams: they own Hives and tokens and have one quota. */
import type { HiveSlug, TeamName } from "../names.ts";

export interface Team {
  readonly name: TeamName;
  /** Source strings over all its Hives; undefined is unlimited. */
  readonly maxStrings?: number;
  /** In the order they were made. A repository that no team lists is a leftover. */
  readonly hives: readonly HiveSlug[];
}
