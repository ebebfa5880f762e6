/** A translation with its state, and the form that changes it. */
import { writerOf } from "../../../domain/access/principal.ts";
import type { Child } from "hono/jsx";
import type { TextChecks } from "../../../domain/glossary/text-checks.ts";
import type { OriginKind } from "../../../domain/commits/origin.ts";
import type { TextFault } from "../../../domain/errors.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { unpackReview } from "../../../domain/review/review.ts";
import type { FoundString, Translation, TranslationState } from "../../../domain/strings/string-search.ts";
import { editToken } from "../../../service/content/translation-edit.ts";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveRequest } from "../requests/page.ts";
import { directionOf, languageName } from "./languages.ts";
import { HiddenFields, PostForm } from "./post-form.tsx";
import { Code, maxOnOwnPage, maxShown, Name, Text } from "./text.tsx";
import { stringLink } from "./string-link.ts";
import { WordDiff } from "./word-diff.tsx";

const stateNames: Readonly<Record<TranslationState, string>> = {
  translated: "translated",
  stale: "stale",
  missing: "missing",
  none: "not needed",
};

/** The state of a translation, as a shape and a word. */
export function StateMark({ state }: { readonly state: TranslationState }) {
  return <span class={`mark small ${state}`}>{stateNames[state]}</span>;
}

/** Who or what wrote a translation last, where that was said. @param props.href the others of that origin. */
export function OriginMark({
  origin,
  href,
}: {
  readonly origin: OriginKind | undefined;
  readonly href: string;
}) {
  if (origin === undefined) return null;
  return (
    <a class="tag" href={href}>
      by a {origin}
    </a>
  );
}

export type ShownFinding = Pick<TextFault, "check" | "severity" | "message" | "expected">;

/**
 * The findings of checks in a translation, each with the faulty part and the expected one.
 * @param props.action the button of a finding.
 */
export function Findings({
  findings,
  action,
}: {
  readonly findings: readonly ShownFinding[];
  readonly action?: (finding: ShownFinding) => Child;
}) {
  if (findings.length === 0) return null;
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <li>
          <span class={`mark ${finding.severity === "error" ? "failing" : "stale"}`}>
            <Name name={finding.message} />
          </span>{" "}
          {finding.expected !== undefined && !finding.message.includes(finding.expected) && (
            <>
              expected: <Code name={finding.expected} />
            </>
          )}
          {action?.(finding)}
        </li>
      ))}
    </ul>
  );
}

/** The findings of checks in a stored translation, with buttons that accept them as false alarms. */
export function StoredFindings({
  request: { session, hiveLink, canTranslate },
  shown: { string, locale, translation },
  back,
}: {
  readonly request: HiveRequest;
  readonly shown: ShownTranslation;
  readonly back?: LinkQuery;
}) {
  const { findings } = translation.checked ?? { findings: [] };
  if (findings.length === 0) return null;
  const fields = { change: "accept", locale: codeOf(locale), ...backField(back) };
  return (
    <Findings
      findings={findings}
      action={({ check }) =>
        canTranslate(locale) && (
          <PostForm session={session} to={stringLink(hiveLink, string.file, string.key)} class="inline">
            <HiddenFields fields={fields} />
            <button class="quiet" name="check" value={check}>
              False alarm <span class="visually-hidden">{check}</span>
            </button>
          </PostForm>
        )
      }
    />
  );
}

/** The hidden field that leads back to a list. */
function backField(back: LinkQuery | undefined): Readonly<Record<string, string>> {
  return back === undefined ? {} : { back: JSON.stringify(back) };
}

/** A string with one of its translations. */
export interface ShownTranslation {
  readonly string: Pick<FoundString, "file" | "key" | "source">;
  readonly locale: Locale;
  readonly translation: Translation;
}

/** A refused edit, with the reason. */
export interface RefusedEdit {
  /** The code of its locale. */
  readonly locale: string;
  /** The text of the user; undefined for another kind of change. */
  readonly text: string | undefined;
  readonly reason: string;
  readonly isConflict: boolean;
  /** The findings of checks in it. */
  readonly findings?: readonly ShownFinding[];
}

/** The id of the row of a string in a list. */
export function rowId({ file, key }: Pick<FoundString, "file" | "key">): string {
  return `s-${editToken(file, key).slice(0, 12)}`;
}

/**
 * The control that opens the form for a translation. Long texts have it only on the page of their string, since a list
 * of large forms would be too much for a browser; very long texts cannot be edited in the console.
 * @param props.back the query of the list to return to afterwards; undefined for the string's own page.
 * @param props.terms the terms of the source text, where the page does not show them already.
 */
export function Editing({
  request,
  shown,
  back,
  isOpen = false,
  refused,
  terms,
}: {
  readonly request: HiveRequest;
  readonly shown: ShownTranslation;
  readonly back?: LinkQuery;
  readonly isOpen?: boolean;
  readonly refused?: RefusedEdit;
  readonly terms?: Child;
}) {
  const { string, locale, translation } = shown;
  if (!request.canTranslate(locale)) return null;
  const code = codeOf(locale);
  const id = `edit-${rowId(string)}-${code}`;
  const name = translation.text === undefined ? "Translate" : "Edit";
  const longest = Math.max(string.source.length, translation.text?.length ?? 0);
  if (longest > maxOnOwnPage) {
    return <p class="aside-text">This text is too long to be changed here; `skep push` or the API can.</p>;
  }
  if (longest > maxShown && !isOpen) {
    const query = { locale: code, back: back === undefined ? undefined : JSON.stringify(back) };
    return (
      <a class="editing" href={stringLink(request.hiveLink, string.file, string.key, query)}>
        {name}
        <Which shown={shown} isInList={back !== undefined} />
      </a>
    );
  }
  return (
    <details class="editing" id={id} open={isOpen}>
      <summary>
        {name}
        <Which shown={shown} isInList={back !== undefined} />
      </summary>
      {refused !== undefined && <Refusal shown={shown} refused={refused} />}
      {terms}
      <EditForm request={request} shown={shown} id={id} back={back} refused={refused} />
    </details>
  );
}

/** Identifies a form among others of the page, for screen readers. */
function Which({
  shown: { string, locale },
  isInList,
}: {
  readonly shown: ShownTranslation;
  readonly isInList: boolean;
}) {
  return <span class="visually-hidden"> {isInList ? <Name name={string.key} /> : languageName(locale)}</span>;
}

/** The reason why an edit was refused; for a conflict with both texts. */
function Refusal({
  shown: { locale, translation },
  refused: { text, reason, isConflict, findings = [] },
}: {
  readonly shown: ShownTranslation;
  readonly refused: RefusedEdit;
}) {
  const lang = locale.code;
  return (
    <div class="refusal" role="alert">
      <p class="notice warn">{reason}</p>
      <Findings findings={findings} />
      {isConflict && text !== undefined && (
        <dl class="texts">
          <Side name="Theirs, as it is now">
            {translation.text === undefined ? (
              <span class="nothing">no translation</span>
            ) : (
              <Text text={translation.text} lang={lang} />
            )}
          </Side>
          <Side name="Yours">
            <Text text={text} lang={lang} />
          </Side>
          {translation.text !== undefined && (
            <Side name="From theirs to yours">
              <WordDiff before={translation.text} after={text} lang={lang} />
            </Side>
          )}
        </dl>
      )}
    </div>
  );
}

function Side({ name, children }: { readonly name: string; readonly children: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The form that writes, confirms or removes a translation. Its edit token prevents it from replacing newer texts. */
function EditForm({
  request: { session, hiveLink },
  shown: { string, locale, translation },
  id,
  back,
  refused,
}: {
  readonly request: HiveRequest;
  readonly shown: ShownTranslation;
  readonly id: string;
  readonly back: LinkQuery | undefined;
  readonly refused: RefusedEdit | undefined;
}) {
  const text = refused?.text ?? translation.text ?? "";
  const rows = Math.min(
    12,
    Math.max(
      1,
      ...[string.source, text].map((one) => Math.ceil(one.length / 60) + one.split("\n", 13).length - 1),
    ),
  );
  return (
    <PostForm
      session={session}
      to={stringLink(hiveLink, string.file, string.key)}
      class="edit"
      isUnsaved={refused?.text !== undefined}
    >
      <HiddenFields
        fields={{
          locale: codeOf(locale),
          seen: editToken(string.source, translation.text),
          ...backField(back),
        }}
      />
      <label class="visually-hidden" for={`${id}-text`}>
        {languageName(locale)} translation
      </label>
      {/* Browsers leave out a line end at the beginning. */}
      <textarea id={`${id}-text`} name="text" rows={rows} lang={locale.code} dir={directionOf(locale.code)}>
        {`\n${text}`}
      </textarea>
      {translation.checked !== undefined && <LiveFindings checks={translation.checked.checks} />}
      <label class="visually-hidden" for={`${id}-why`}>
        Why, for the history
      </label>
      <input
        id={`${id}-why`}
        name="message"
        maxlength={1000}
        placeholder="Why? For the history; may stay empty"
      />
      <div class="actions">
        <button class="primary" name="change" value="write">
          {refused?.isConflict === true && translation.text !== undefined ? "Replace theirs" : "Save"}
        </button>
        {translation.state === "stale" && (
          <button name="change" value="confirm">
            Still right
          </button>
        )}
        {translation.text !== undefined && (
          <button class="quiet" name="change" value="remove">
            Remove
          </button>
        )}
      </div>
    </PostForm>
  );
}

/** The place where a script lists findings of checks while the user types. */
export function LiveFindings({ checks }: { readonly checks: TextChecks }) {
  return <div class="findings" role="status" data-check={JSON.stringify(checks)} />;
}

/**
 * A translation that waits for a review: the text that was approved last, and the form that approves or rejects it.
 * @param props.back the query of the list to return to afterwards; undefined for the string's own page.
 */
export function Waiting({
  request,
  shown: { string, locale, translation },
  back,
}: {
  readonly request: HiveRequest;
  readonly shown: ShownTranslation;
  readonly back?: LinkQuery;
}) {
  if (translation.review === undefined) return null;
  const { text, approved, by } = unpackReview(translation.review);
  const isOwn = locale.twoPeople === true && by === writerOf(request.hive);
  const id = `review-${rowId(string)}-${locale.code}`;
  const { file, key } = string;
  const fields = { locale: codeOf(locale), file, key, seen: text, ...backField(back) };
  const which = (
    <span class="visually-hidden">
      <Name name={key} /> {codeOf(locale)}
    </span>
  );
  return (
    <div class="review">
      <p class="aside-text">
        <span class="mark small waiting">waiting for a review</span>
        {approved !== undefined && approved !== text && (
          <>
            {" · "}since the last approval: <WordDiff before={approved} after={text} lang={locale.code} />
          </>
        )}
      </p>
      {request.canApprove(locale) && (
        // Two forms: Enter in the reason must not press the other button.
        <div class="decision">
          {!isOwn && (
            <PostForm session={request.session} to={request.hiveLink(["review"])} class="inline">
              <HiddenFields fields={fields} />
              <button name="review" value="approve">
                Approve {which}
              </button>
            </PostForm>
          )}
          <PostForm session={request.session} to={request.hiveLink(["review"])} class="decision">
            <HiddenFields fields={fields} />
            <label class="visually-hidden" for={id}>
              Why it is rejected
            </label>
            <input id={id} name="reason" maxlength={1000} required placeholder="Why? The writer reads it" />
            <button class="quiet" name="review" value="reject">
              Reject {which}
            </button>
          </PostForm>
        </div>
      )}
    </div>
  );
}
