/** Changes of texts, key by key. */
import { toShownChange, type ShownChange } from "../../../domain/strings/text-diff.ts";
import type { Child } from "hono/jsx";
import { useHive } from "../requests/context.tsx";
import { groupBy } from "../../../domain/group-by.ts";
import type { Move, StringAddress } from "../../../domain/move.ts";
import type { Preview } from "../../../service/access.ts";
import { type Link, changeLink } from "../requests/links.ts";
import { Clamped, Code, Key, Name, WordDiff } from "./text.tsx";
import { t } from "../texts/texts.ts";

/**
 * The changes by locale and file, in the given order.
 * @param props.link makes the links of keys to their strings, or to the history of deleted strings.
 */
export function Changes(props: {
  changes: readonly ShownChange[];
  action?: (change: ShownChange) => Child;
  link?: Link;
}) {
  const { lang, hiveLink: own } = useHive();
  const { changes, link: hiveLink = own, action } = props;
  const groups = groupBy(changes, ({ locale, file }) => JSON.stringify([locale, file]));
  return (
    <>
      {Array.from(groups.values(), (group) => (
        <section class="changes">
          <h3>
            {group.slice(0, 1).map(({ locale, file }) => (
              <FileLinks {...{ hiveLink, locale, file }} hasLocale={lang(locale) !== undefined} />
            ))}
          </h3>
          <dl>
            {group.map((change) => {
              const { key, member, before, after, locale, kept } = change;
              return (
                <div>
                  <dt>
                    <Key name={key} href={changeLink(hiveLink, change)} />
                    {member !== undefined && !(kept === "app_note" && member === "note") && (
                      <NoteMember member={member} />
                    )}
                    <Kept change={change} />
                  </dt>
                  {kept !== "moved" && kept !== "comments" && (
                    <dd>
                      <Clamped texts={[before, after]} all={changeLink(hiveLink, change)}>
                        <WordDiff before={before} after={after} lang={lang(locale)} />
                      </Clamped>
                    </dd>
                  )}
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

/** A locale and a file, each with a link to its strings. @param props.hasLocale whether the Hive still has the locale. */
export function FileLinks(props: { hiveLink: Link; locale: string; file: string; hasLocale?: boolean }) {
  const { hiveLink, locale, file, hasLocale = true } = props;
  const list = hasLocale ? { locale } : {};
  return (
    <>
      <Code name={locale} href={hasLocale ? hiveLink(["strings"], list) : undefined} />
      {" / "}
      <Code name={file} href={hiveLink(["strings"], { ...list, file })} />
    </>
  );
}

/** The member of a note that a change is about. */
export function NoteMember({ member }: { member: string }) {
  return (
    <span class="soft small">
      {" "}
      {t("changes.note", { member: <Name name={member.replaceAll("_", " ")} /> })}
    </span>
  );
}

/** What has changed beside a text. */
function Kept({ change: { kept, from } }: { change: ShownChange }) {
  if (kept === undefined) return null;
  return (
    <span class="soft small">
      {" "}
      {kept === "moved"
        ? from !== undefined && t("changes.moved_from", { place: <Place place={from} /> })
        : t(`changes.${kept}`)}
    </span>
  );
}

/** How many changes of a dry run are listed, and how many moves; all are counted. */
const maxListed = 100;

/** Strings that get another key or another file. */
function Moves({ moves }: { moves: readonly Move[] }) {
  return (
    <section class="changes">
      <h3>{t("changes.moved")}</h3>
      <ul class="moves">
        {moves.slice(0, maxListed).map(({ from, to }) => (
          <li>
            <Place place={from} /> → <Place place={to} />
          </li>
        ))}
      </ul>
      {moves.length > maxListed && <p>{t("changes.and_more", { changes: moves.length - maxListed })}</p>}
    </section>
  );
}

function Place({ place: { file, key } }: { place: StringAddress }) {
  return (
    <>
      <Code name={key} />{" "}
      <span class="file">
        <Name name={file} />
      </span>
    </>
  );
}

/** The changes that a dry run has found, as a list. @param props.children what stands above them. */
export function PlannedChanges(props: { preview: Preview | undefined; link?: Link; children?: Child }) {
  const { preview, link, children } = props;
  const { moves = [], settings } = preview ?? {};
  const changes = [...(preview?.changes ?? []), ...(preview?.beside ?? [])];
  return (
    <>
      <h2>{t("changes.what_it_would_change")}</h2>
      {children}
      {moves.length > 0 && <Moves moves={moves} />}
      <Changes changes={changes.slice(0, maxListed).map(toShownChange(settings))} link={link} />
      {changes.length > maxListed && <p>{t("changes.and_more", { changes: changes.length - maxListed })}</p>}
    </>
  );
}
