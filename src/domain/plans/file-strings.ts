/** The limit on how many strings a source file may have, which bounds what is done for one file in one go. */
import { Issues } from "../errors.ts";
import type { HiveSettings } from "../hives/hive-settings.ts";
import type { FileWrite, SourceFiles } from "../strings/hive-content.ts";
import { counted } from "../text.ts";

/**
 * Refuses a change that makes a source file larger than it may be. What is stored stays valid: a file that has more
 * strings already may be changed, but not grow.
 * @param writes the files that change; translations follow their source files and have no limit of their own.
 * @throws SkepError `invalid` naming each file, and the limit.
 */
export function checkFileStrings(
  { source, settings }: { readonly source: SourceFiles; readonly settings: HiveSettings },
  writes: readonly FileWrite[],
  limit: number,
): void {
  const issues = new Issues();
  for (const { locale, file, content } of writes) {
    const size = content?.texts.size ?? 0;
    if (locale !== settings.sourceLocale.code || size <= Math.max(limit, source.get(file)?.texts.size ?? 0))
      continue;
    issues.add(
      `files.${file}`,
      `would have ${counted(size, "string")}; a file may have ${limit} (--file-strings of skep serve): split it`,
    );
  }
  issues.throwIfAny();
}
