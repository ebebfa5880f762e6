/** Changes of texts, key by key. */
import { groupBy } from "../../../domain/group-by.ts";
import { localesOf } from "../../../domain/hives/hive-settings.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import type { Preview } from "../../../service/write-context.ts";
import type { Link } from "../requests/links.ts";
import { stringLink } from "./string-link.ts";
import { Code } from "./text.tsx";
import { WordDiff } from "./word-diff.tsx";

/** A text before and after; undefined where there is none. */
export interface ShownChange {
  /** The locale's code in the Hive. */
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Gives the planned changes of a Hive the codes that it knows its locales by. */
export function toShown(settings: Preview["settings"]): (change: Preview["changes"][number]) => ShownChange {
  const codes = new Map(localesOf(settings).map((locale) => [locale.code, codeOf(locale)]));
  return ({ locale, file, key, before, after }) => ({
    locale: codes.get(locale) ?? locale,
    file,
    key,
    before,
    after,
  });
}

/**
 * The changes by locale and file, in the order in which they come.
 * @param props.lang see `languagesOf`.
 * @param props.hiveLink where keys that are there after the change lead to their strings.
 */
export function Changes({
  changes,
  lang,
  hiveLink,
}: {
  readonly changes: readonly ShownChange[];
  readonly lang: (code: string) => string | undefined;
  readonly hiveLink?: Link;
}) {
  const groups = groupBy(changes, ({ locale, file }) => JSON.stringify([locale, file]));
  return (
    <>
      {Array.from(groups.values(), (group) => (
        <section class="changes">
          <h3>
            <Code name={group[0]?.locale ?? ""} /> <Code name={group[0]?.file ?? ""} />
          </h3>
          <dl>
            {group.map(({ key, before, after, locale, file }) => (
              <div>
                <dt>
                  {hiveLink === undefined || after === undefined ? (
                    <Code name={key} />
                  ) : (
                    <a href={stringLink(hiveLink, file, key)}>
                      <Code name={key} />
                    </a>
                  )}
                </dt>
                <dd>
                  <WordDiff before={before} after={after} lang={lang(locale)} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}
