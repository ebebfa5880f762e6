/** Teams: they own Hives and tokens and have one quota. */
import { z } from "zod";
import { count, hiveSlug, teamName } from "../hives/stored-fields.ts";
import type { Decoded } from "../json-codec.ts";

export const storedTeam = z.strictObject({
  name: teamName,
  /** The quota of source strings over all its Hives; unlimited if undefined. */
  max_strings: count.optional(),
  /** Whether commits of a person carry their mail address; undefined for no. */
  mail_on_commits: z.literal(true).optional(),
  /** In order of creation. A repository that no team lists is orphaned. */
  hives: z.array(hiveSlug),
});
export type Team = Decoded<z.output<typeof storedTeam>>;
