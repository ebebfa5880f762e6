/** Finds problems in the glossary and the styles of a Hive. Nothing is repaired: only a person knows what they should say. */
import type { Finding } from "../../domain/finding.ts";
import { isSkepError } from "../../domain/errors.ts";
import { localesOf } from "../../domain/hives/hive-settings.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { Snapshot } from "../content/snapshot.ts";

/** Finds a glossary and styles that cannot be read, and styles of locales that the Hive does not have. */
export async function checkGlossary({ glossary, settings }: Snapshot): Promise<readonly Finding[]> {
  const known = new Map<string, LocaleCode>(localesOf(settings).map(({ code }) => [code, code]));
  const found: Finding[] = [];
  const attempt = async (read: () => Promise<unknown>): Promise<void> => {
    try {
      await read();
    } catch (error) {
      if (!isSkepError(error)) throw error;
      found.push({ problem: error.message });
    }
  };
  await attempt(() => glossary.terms());
  for (const name of glossary.styles) {
    const locale = known.get(name);
    if (locale === undefined)
      found.push({ problem: `style/${name}.md does not belong to a locale of this Hive` });
    else await attempt(() => glossary.style(locale));
  }
  return found;
}
