/** Errors as pages. */
import { STATUS_CODES } from "node:http";
import { listHistory, type HistoryEntry } from "../../../service/content/history.ts";
import { allLocales } from "../../../service/content/string-search.ts";
import type { PublicError } from "../../responses/error-response.ts";
import { CommitDays } from "../parts/commit-list.tsx";
import { attributeText, Code, Key, Name } from "../parts/text.tsx";
import { ButtonLink, hivePage } from "../parts/navigation.tsx";
import { stringLink } from "../requests/links.ts";
import { problemNow } from "../requests/form.ts";
import type { HiveRequest, View } from "../requests/page.ts";
import { messageNow } from "../texts/reasons.ts";
import { isInEnglish, t, textIn } from "../texts/texts.ts";

/** What a person is told of an error, and to do next, where its text does not say that. */
export function toldOf({ status, body }: Pick<PublicError, "status" | "body">): {
  readonly texts: readonly string[];
  readonly next?: string;
} {
  const own = textIn("error-message", body.code);
  const issues = Object.entries(body.errors ?? {}).flatMap(([member, messages]) => {
    // What a field of the pages is called, where there is one.
    const label = textIn("field", member.split(".").at(-1) ?? "");
    if (label === undefined && isInEnglish()) return messages;
    return messages.map((message) => `${label ?? member}: ${problemNow(member, message)}`);
  });
  return {
    texts: own === undefined && issues.length > 0 ? issues : [own ?? messageNow(body)],
    next: textIn("error-next", body.code) ?? textIn("error-next", String(status)),
  };
}

/** What of an address a page does not know. */
export interface WrongAddress {
  /** As they stand in it. */
  readonly parts: readonly string[];
  /** The address without them. */
  readonly without: string | undefined;
}

/**
 * A page that shows an error.
 * @param written what the user entered into the form that failed.
 * @param wrong what of the address is wrong, if that is all.
 */
export function errorView(error: PublicError, written: readonly string[] = [], wrong?: WrongAddress): View {
  const { status, body, headers } = error;
  const told = toldOf(error);
  const texts = wrong?.parts.map((part) => t("form.address_part", { part })) ?? told.texts;
  const next = wrong?.without === undefined ? told.next : undefined;
  return {
    title:
      textIn("error-title", body.code) ??
      textIn("error-title", String(status)) ??
      STATUS_CODES[status] ??
      t("error.error"),
    status,
    headers,
    above: [],
    body: (
      <>
        <div class="notice wrong">
          {texts.map((text) => (
            <p>
              <Name name={text} />
            </p>
          ))}
        </div>
        {body.conflicts !== undefined && (
          <ul>
            {body.conflicts.map(({ locale, file, key }) => (
              <li>
                <Code name={locale} /> <Code name={file} /> <Key name={key} />
              </li>
            ))}
          </ul>
        )}
        {next !== undefined && <p>{next}</p>}
        {wrong?.without !== undefined && (
          <p class="actions">
            <ButtonLink to={wrong.without} text="error.open_without" />
          </p>
        )}
        {written.length > 0 && (
          <>
            <h2>{t("error.what_you_wrote")}</h2>
            {written.map((text) => (
              <textarea rows={4} readonly aria-label={t("error.what_you_wrote")}>
                {`\n${text}`}
              </textarea>
            ))}
          </>
        )}
      </>
    ),
  };
}

/** How many commits of an absent string are searched for its moves. */
const maxFollowed = 20;

/**
 * The page of a string that the Hive does not have, or no more: links may be older than its removal. It shows where the
 * string went, or the commit that removed it.
 */
export async function absentString(request: HiveRequest, { file, key }: Place): Promise<View> {
  const { storage, branch, signal, hiveLink } = request;
  const history = await listHistory(storage, branch, { file, key, offset: 0, limit: maxFollowed, signal });
  const { entries } = await history.read();
  const place = placeAfter(entries, { file, key });
  const isMoved = place.file !== file || place.key !== key;
  return hivePage(
    request,
    "Strings",
    <>
      <p class={isMoved ? "notice" : "notice wrong"}>
        {isMoved
          ? t("string.it_was_renamed_to", {
              link: (
                <a href={stringLink(hiveLink, place.file, place.key)}>
                  <code>{attributeText(`${place.file}: ${place.key}`)}</code>
                </a>
              ),
            })
          : t(entries.length > 0 ? "string.it_was_removed" : "string.this_hive_has_no_such_string")}
      </p>
      <CommitDays heading="h2" entries={entries.slice(0, 1)} isOfKey />
      <p class="actions">
        {entries.length > 1 && (
          <ButtonLink to={hiveLink(["history"], { file, key })} text="string.its_history" />
        )}
        <ButtonLink to={hiveLink(["strings"], { locale: allLocales, q: key })} text="string.search_for_it" />
      </p>
    </>,
    { title: key === "" ? t("string.empty_key") : key, status: 404 },
  );
}

interface Place {
  readonly file: string;
  readonly key: string;
}

/** Where a string is after the moves in its history. @param entries newest first. */
function placeAfter(entries: readonly HistoryEntry[], start: Place): Place {
  return entries.reduceRight((place, { keyMoves = [] }) => {
    const move = keyMoves.find(({ from }) => from.file === place.file && from.key === place.key);
    return move?.to ?? place;
  }, start);
}
