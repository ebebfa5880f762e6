/** A translation with its state, and the form that changes it. */
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { FoundString, TranslationState } from "../../../domain/strings/string-search.ts";
import { markOf } from "../../../service/content/translation-edit.ts";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveRequest } from "../requests/page.ts";
import { directionOf, languageName } from "./languages.ts";
import { PostForm } from "./post-form.tsx";
import { Text } from "./text.tsx";
import { stringLink } from "./string-link.ts";

const stateNames: Readonly<Record<TranslationState, string>> = {
  translated: "translated",
  stale: "stale",
  missing: "missing",
  none: "not needed",
};

/** The state of a translation in a word. */
export function StateBadge({ state }: { readonly state: TranslationState }) {
  return <span class={`state ${state}`}>{stateNames[state]}</span>;
}

/** What was done, for the notice above the page that the browser is sent to. */
export function doneNotice(change: string | undefined): string | undefined {
  const notices: ReadonlyMap<string | undefined, string> = new Map([
    ["write", "Saved by a commit of its own, which can be undone."],
    ["confirm", "Confirmed as right for the present source text."],
    ["remove", "Removed by a commit of its own, which can be undone."],
  ]);
  return notices.get(change);
}

/** Names the row of a string in a list. */
export function rowId({ file, key }: Pick<FoundString, "file" | "key">): string {
  return `s-${markOf(file, key).slice(0, 12)}`;
}

/** The text of a translation; nothing where there is none. */
export function Translation({ found, locale }: { readonly found: FoundString; readonly locale: Locale }) {
  return found.translation === undefined ? null : <Text text={found.translation} lang={locale.code} />;
}

/**
 * The form that writes, confirms or removes a translation; it says what was seen, so that nothing unseen is replaced.
 * @param props.back the query of the list that the browser is sent to afterwards; undefined for the string's own page.
 * @param props.draft what the person wrote before, where it could not be taken.
 */
export function EditForm({
  request: { session, hiveLink },
  locale,
  found,
  back,
  draft,
}: {
  readonly request: HiveRequest;
  readonly locale: Locale;
  readonly found: FoundString;
  readonly back?: LinkQuery;
  readonly draft?: string;
}) {
  const { file, key, source, translation, state } = found;
  const code = codeOf(locale);
  const id = `${rowId(found)}-${code}`;
  const text = draft ?? translation ?? "";
  const rows = Math.min(
    12,
    Math.max(1, ...[source, text].map((one) => Math.ceil(one.length / 60) + one.split("\n").length - 1)),
  );
  return (
    <PostForm session={session} to={stringLink(hiveLink, file, key)} class="edit">
      <input type="hidden" name="locale" value={code} />
      <input type="hidden" name="seen" value={markOf(source, translation)} />
      {back !== undefined && <input type="hidden" name="back" value={JSON.stringify(back)} />}
      <label class="visually-hidden" for={id}>
        {languageName(locale)} translation
      </label>
      {/* Browsers leave out a line end at the beginning. */}
      <textarea id={id} name="text" rows={rows} lang={locale.code} dir={directionOf(locale.code)}>
        {`\n${text}`}
      </textarea>
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
          Save
        </button>
        {state === "stale" && (
          <button name="change" value="confirm">
            Still right
          </button>
        )}
        {translation !== undefined && (
          <button class="quiet" name="change" value="remove">
            Remove
          </button>
        )}
      </div>
    </PostForm>
  );
}
