/** Changes of a Hive's name, limits and plural forms. */
import {
  toHiveName,
  withChange,
  type HiveSettings,
  type SettingsChange,
} from "../../domain/hives/hive-settings.ts";
import { invalid } from "../../domain/errors.ts";
import { reaches } from "../../domain/access/token.ts";
import { isPersonId, isTokenId, type HiveSlug } from "../../domain/names.ts";
import { excerpt } from "../../domain/text.ts";
import { currentPrincipal } from "../access.ts";
import type { Storage } from "../storage.ts";
import { areOfOneTeam } from "../terms.ts";
import { commitUnderTeamLock, type CommitResult, type WriteContext } from "../write-context.ts";

/** A Hive after a change. */
export interface ChangedHive {
  readonly settings: HiveSettings;
  readonly strings: number;
}

/**
 * Changes the settings of a Hive, but its locales.
 * @throws SkepError `invalid` on `name`, and on `glossary` for a Hive that the caller cannot read; `not-found` when no team
 * has the Hive.
 */
export function updateHive(
  storage: Storage,
  slug: HiveSlug,
  { name: text, maxDeletions, plurals, push, checks, glossary }: SettingsChange,
  context: WriteContext,
): Promise<CommitResult<ChangedHive>> {
  const name = text === undefined ? undefined : toHiveName(text);
  const changed = [
    ...(name === undefined ? [] : [`name ${excerpt(name)}`]),
    ...(maxDeletions === undefined ? [] : [`max_deletions ${maxDeletions}`]),
    ...(plurals === undefined ? [] : [`plurals ${plurals}`]),
    ...(push === undefined ? [] : [`push ${push}`]),
    ...(checks?.level === undefined ? [] : [`checks ${checks.level}`]),
    ...(checks?.syntax === undefined ? [] : ["syntax of messages"]),
    ...(glossary === undefined ? [] : [`glossary ${glossary ?? "none"}`]),
  ];
  const metadata = { subject: `Change the Hive's settings: ${changed.join(", ")}`, operation: "update-hive" };
  return commitUnderTeamLock(storage, slug, context, "first", async ({ settings: before, index }) => {
    if (typeof glossary === "string") await checkGlossary(storage, slug, before, glossary, context);
    const settings = withChange(before, { name, maxDeletions, plurals, push, checks, glossary });
    return { result: { settings, strings: index.stringCount }, change: { metadata, settings } };
  });
}

/** A Hive of another team, or out of the caller's reach, is answered as one that is not there. */
async function checkGlossary(
  storage: Storage,
  slug: HiveSlug,
  { sourceLocale }: HiveSettings,
  other: HiveSlug,
  { metadata }: WriteContext,
): Promise<void> {
  if (other === slug) throw invalid("glossary", "is the Hive itself, whose own terms count anyway");
  const { registry } = storage;
  const token = metadata.token !== undefined && isTokenId(metadata.token) ? metadata.token : undefined;
  const person = metadata.person !== undefined && isPersonId(metadata.person) ? metadata.person : undefined;
  const isInReach =
    (token ?? person) === undefined ||
    reaches(await currentPrincipal(storage, { token, person }), [other], other);
  if (!isInReach || !(await areOfOneTeam(registry, slug, other)))
    throw invalid("glossary", `the team has no Hive "${other}"`);
  const { settings } = await storage.hives.at(other).snapshot();
  if (settings.sourceLocale.code === sourceLocale.code) return;
  throw invalid("glossary", `"${other}" has another source locale, ${settings.sourceLocale.code}`);
}
