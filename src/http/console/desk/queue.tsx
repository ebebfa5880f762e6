/** The queue of the page of work: its filters, the strings that come next, and what others work on. */
import { z } from "zod";
import { toWantedTags } from "../../../domain/notes/note-tags.ts";
import { defaultWant, workStates, type WorkState } from "../../../domain/work/work.ts";
import type { PageRequest, PageWork, QueuedString } from "../../../service/work/work-page.ts";
import { seenToken } from "../../../service/work/seen.ts";
import { once } from "../../../api/objects.ts";
import { nameOf } from "../editor/editor.tsx";
import type { LinkQuery } from "../requests/links.ts";
import { useHive } from "../requests/context.tsx";
import { allows } from "../../../domain/access/token.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { localeOptions, type FormField } from "../parts/fields.tsx";
import { FilterForm } from "../parts/page-form.tsx";
import { PostForm, Unseen } from "../parts/post-form.tsx";
import { Key, Name, Text } from "../parts/text.tsx";
import type { FormState } from "../requests/form.ts";
import type { HiveRequest } from "../requests/page.ts";
import { comma, t } from "../texts/texts.ts";

/** The query parameters of the page: `at` is the string to show, `after` the one behind which to go on, as `file:key`. */
export const translateQuery = z.strictObject({
  want: z.enum(workStates, `must be one of ${workStates.join(", ")}`).optional(),
  file: once,
  tag: once,
  q: once,
  beside: once,
  at: once,
  after: once,
});

type TranslateQuery = z.output<typeof translateQuery>;

/** The filters of the page of work as query parameters, without the place in the queue. */
export function filtersOf({ want, file, tag, q, beside }: TranslateQuery): LinkQuery {
  return { want, file, tag, q, beside };
}

/** @throws SkepError `invalid` on `tag`. */
export function toPageRequest(
  locale: string,
  { want, file, tag, q, beside, at, after }: TranslateQuery,
  canWrite: boolean,
): PageRequest {
  return {
    locale,
    // Whoever may only approve has nothing to translate.
    want: want === undefined ? (canWrite ? defaultWant : ["review"]) : [want],
    file,
    tags: tag === undefined ? undefined : toWantedTags(tag),
    text: q,
    beside,
    at: at === undefined ? undefined : addressIn(at),
    after: after === undefined ? undefined : addressIn(after),
  };
}

function addressIn(text: string): { readonly file: string; readonly key: string } {
  const colon = text.indexOf(":");
  return { file: text.slice(0, Math.max(0, colon)), key: text.slice(colon + 1) };
}

const maxFiles = 500;
const maxText = 90;

/** The form that filters the queue of work. */
export function Filters(props: {
  locale: Locale;
  state: FormState;
  files: readonly string[];
  /** The tags of strings. */
  tags: readonly string[];
  others: readonly Locale[];
  /** What is shown where no state is chosen. */
  wanted: readonly WorkState[];
}) {
  const { locale, state, files, tags, others, wanted } = props;
  const all = wanted.map((one) => t(`work-state.${one}`)).join(comma());
  const states = workStates.map((one) => [one, t(`work-state.${one}`)] as const);
  const second: FormField = {
    kind: "one",
    name: "beside",
    all: t("queue.a_few_text"),
    options: localeOptions(useHive(), others),
  };
  return (
    <FilterForm
      page={["translate", codeOf(locale)]}
      state={state}
      fields={[
        { kind: "one", name: "want", all, options: states },
        { name: "q", label: t("common.search"), type: "search" },
      ]}
      further={[
        { name: "file", options: files.slice(0, maxFiles) },
        { name: "tag", options: tags },
        ...(others.length > 0 ? [second] : []),
      ]}
    />
  );
}

/** Strings that come next, each a link. Those that wait for a review can be approved together. */
export function Next(props: {
  locale: Locale;
  work: Pick<PageWork, "next" | "claims">;
  filters: LinkQuery;
  /** Whether the strings of the queue wait, and the user may approve them. */
  canApprove: boolean;
}) {
  const { locale, work, filters, canApprove } = props;
  const { next, claims } = work;
  const request = useHive();
  const { hiveLink } = request;
  const path = ["translate", codeOf(locale)];
  const list = (
    <ol class="next">
      {next.map((string, i) => (
        <li>
          {canApprove && (
            <label class="check">
              <input type="checkbox" name="selected" value={String(i)} />
              <span class="visually-hidden">{t("queue.approve", { key: <Name name={string.key} /> })}</span>
            </label>
          )}
          <a href={hiveLink(path, { ...filters, at: nameOf(string) })}>
            <Queued string={string} isWaiting={canApprove} lang={locale.code} />
          </a>
        </li>
      ))}
    </ol>
  );
  return (
    <>
      {next.length > 0 && <h2>{t("queue.next")}</h2>}
      {next.length === 0 ? null : canApprove ? (
        <PostForm
          to={hiveLink(path, filters)}
          hidden={{
            listed: JSON.stringify(
              next.map(({ file, key, expected }) => ({ file, key, seen: seenToken(expected) })),
            ),
          }}
        >
          {list}
          <button name="change" value="approve-listed">
            {t("queue.approve_the_selected")}
          </button>
        </PostForm>
      ) : (
        list
      )}
      {claims.length > 0 && (
        <>
          <h2>{t("queue.others_work_on")}</h2>
          <ul class="next">
            {claims.map(({ id, by, isOwn, items, expiresAt }) => (
              <li>
                <Name name={by} />{" "}
                <span class="soft small">
                  {t("queue.min", {
                    keys: items.slice(0, 3).map(({ key }, i) => (
                      <>
                        {i > 0 && comma()}
                        <Key name={key} />
                      </>
                    )),
                    more: items.length > 3 && ` ${t("queue.and_more", { items: items.length - 3 })}`,
                    minutes: minutes(expiresAt, request),
                  })}
                </span>
                {(isOwn || allows(request.session.caller.principal, "admin")) && (
                  <PostForm to={hiveLink([...path, "claims"], filters)} class="inline" hidden={{ claim: id }}>
                    <button class="quiet">
                      {t("account.end")} <Unseen name={by} />
                    </button>
                  </PostForm>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** For how many minutes a claim holds still. */
function minutes(expiresAt: number, { storage }: Pick<HiveRequest, "storage">): number {
  return Math.max(1, Math.round((expiresAt - storage.now()) / 60_000));
}

function Queued(props: { string: QueuedString; isWaiting: boolean; lang: string }) {
  const { string, isWaiting, lang } = props;
  const { key, source, state, translation } = string;
  return (
    <>
      {source.trim() === "" ? <Key name={key} /> : <Text text={shortened(source)} />}{" "}
      {isWaiting && translation !== undefined && (
        <span class="translated">
          <Text text={shortened(translation)} lang={lang} />
        </span>
      )}
      {!isWaiting && state !== "missing" && <WorkMark state={state} />}
    </>
  );
}

function shortened(text: string): string {
  const line = text.slice(0, 2 * maxText).replaceAll(/\s+/g, " ");
  return line.length <= maxText ? line : `${line.slice(0, maxText).toWellFormed()}…`;
}

/** Why a string is in the queue, as a mark. */
export function WorkMark({ state }: { state: WorkState }) {
  const kind = state === "review" || state === "asked" ? "waiting" : state === "skipped" ? undefined : state;
  return (
    <span class={kind === undefined ? "mark small" : `mark small ${kind}`}>{t(`work-state.${state}`)}</span>
  );
}
