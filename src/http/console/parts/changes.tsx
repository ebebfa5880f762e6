/** Changes of texts, key by key. */
import { figure } from "../requests/reader.ts";
import { languagesOf } from "./languages.ts";
import { toShownChange, type ShownChange } from "../../../domain/strings/text-diff.ts";
import type { Child } from "hono/jsx";
import { groupBy } from "../../../domain/group-by.ts";
import type { Preview } from "../../../service/write-context.ts";
import type { Link } from "../requests/links.ts";
import { stringLink } from "./string-link.ts";
import { Clamped, Code, Name } from "./text.tsx";
import { WordDiff } from "./word-diff.tsx";

/**
 * The changes by locale and file, in the given order.
 * @param props.lang see `languagesOf`.
 * @param props.hiveLink makes the links of keys to their strings, or to the history of deleted strings.
 */
export function Changes({
  changes,
  lang,
  hiveLink,
  action,
}: {
  readonly changes: readonly ShownChange[];
  /** The button of a change. */
  readonly action?: (change: ShownChange) => Child;
  readonly lang: (code: string) => string | undefined;
  readonly hiveLink: Link;
}) {
  const groups = groupBy(changes, ({ locale, file }) => JSON.stringify([locale, file]));
  return (
    <>
      {Array.from(groups.values(), (group) => (
        <section class="changes">
          <h3>
            <a href={hiveLink(["strings"], { locale: group[0]?.locale })}>
              <Code name={group[0]?.locale ?? ""} />
            </a>{" "}
            <a href={hiveLink(["strings"], { locale: group[0]?.locale, file: group[0]?.file })}>
              <Code name={group[0]?.file ?? ""} />
            </a>
          </h3>
          <dl>
            {group.map((change) => {
              const { key, member, before, after, locale, file } = change;
              return (
                <div>
                  <dt>
                    <a
                      href={
                        after === undefined && member === undefined
                          ? hiveLink(["history"], { file, key })
                          : stringLink(hiveLink, file, key)
                      }
                    >
                      <Code name={key} />
                    </a>
                    {member !== undefined && <NoteMember member={member} />}
                  </dt>
                  <dd>
                    <Clamped texts={[before, after]} all={stringLink(hiveLink, file, key)}>
                      <WordDiff before={before} after={after} lang={lang(locale)} />
                    </Clamped>
                  </dd>
                  {action !== undefined && <dd>{action(change)}</dd>}
                </div>
              );
            })}
          </dl>
        </section>
      ))}
    </>
  );
}

/** Says that a change is one of a note, and of which member. */
export function NoteMember({ member }: { readonly member: string }) {
  return (
    <span class="soft small">
      {" "}
      note: <Name name={member.replaceAll("_", " ")} />
    </span>
  );
}

/** How many changes of a dry run are listed; all are counted. */
const maxListed = 100;

/** The changes of a dry run. */
export function PlannedChanges({
  preview,
  hiveLink,
}: {
  readonly preview: Preview | undefined;
  /** Makes the links of keys to their strings. */
  readonly hiveLink: Link;
}) {
  const { changes, settings } = preview ?? { changes: [], settings: undefined };
  return (
    <>
      <h2>What it would change</h2>
      <Changes
        changes={changes.slice(0, maxListed).map(toShownChange(settings))}
        lang={languagesOf(settings)}
        hiveLink={hiveLink}
      />
      {changes.length > maxListed && <p>… and {figure(changes.length - maxListed)} more.</p>}
    </>
  );
}
