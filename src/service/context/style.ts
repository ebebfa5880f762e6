/** The styles of a Hive's locales, which are main's, and those of all branches. */
import { toStyle } from "../../domain/glossary/style.ts";
import { localeNamed, unknownLocale, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { counted } from "../../domain/text.ts";
import { atHead, type Versioned } from "../content/queries.ts";
import { styleText } from "../glossary-files.ts";
import type { Storage } from "../storage.ts";
import type { CommitResult, WriteContext } from "../write-context.ts";

/** The style of a locale; empty where there is none. @throws SkepError `invalid` on `locale`; `content-invalid`. */
export async function readStyle(
  { hives }: Storage,
  slug: HiveSlug,
  code: string,
): Promise<Versioned<{ readonly locale: Locale; readonly text: string }>> {
  const snapshot = await hives.at(slug).snapshot();
  const { settings, glossary } = snapshot;
  const locale = requireLocale(settings, code);
  const read = async () => ({ locale, text: await glossary.style(locale.code) });
  const version = `${snapshot.version()}:${glossary.styleVersion(locale.code)}`;
  return { ...atHead(slug, snapshot), version, read };
}

/** Sets the style of a locale, or removes it by an empty text, as one commit. @throws as {@link readStyle}. */
export function changeStyle(
  storage: Storage,
  slug: HiveSlug,
  code: string,
  given: string,
  context: WriteContext,
): Promise<CommitResult<{ readonly locale: Locale; readonly text: string }>> {
  const text = toStyle(given);
  return storage.writer.commit(slug, context, async ({ settings, glossary }) => {
    const locale = requireLocale(settings, code);
    const result = { locale, text };
    // A style that cannot be read is replaced.
    const before = await glossary.style(locale.code).catch(() => undefined);
    if (before === text) return { result };
    const metadata = {
      subject: `Change the style of ${codeOf(locale)}: ${text === "" ? "removed" : counted(text.length, "character")}`,
      operation: "change-style",
    };
    return { result, change: { metadata, texts: styleText(locale.code, text) } };
  });
}

function requireLocale(settings: HiveSettings, code: string): Locale {
  const locale = localeNamed(settings, code);
  if (locale === undefined) throw unknownLocale(settings, code);
  return locale;
}
