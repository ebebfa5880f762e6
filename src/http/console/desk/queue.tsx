/** The queue of the page of work: its filters, the strings that come next, and what others work on. */
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { WorkState } from "../../../domain/work/work.ts";
import { workStates } from "../../../domain/work/work.ts";
import type { PageWork, QueuedString } from "../../../service/work/work-page.ts";
import { Choice, FilterForm, localeOption, OtherProblems, TextField } from "../parts/fields.tsx";
import { HiddenFields, PostForm } from "../parts/post-form.tsx";
import { Code, Name, Text } from "../parts/text.tsx";
import { WorkMark } from "./work-mark.tsx";
import type { FormState } from "../requests/form-state.ts";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveRequest } from "../requests/page.ts";
import { figure } from "../requests/reader.ts";
import { filterFields, nameOf, stateNames } from "./filters.ts";

const maxFiles = 500;
const maxText = 90;

export function Filters({
  request,
  locale,
  state,
  files,
  others,
  wanted,
}: {
  readonly request: HiveRequest;
  readonly locale: Locale;
  readonly state: FormState;
  readonly files: readonly string[];
  /** The other target locales. */
  readonly others: readonly Locale[];
  /** What is shown where no state is chosen. */
  readonly wanted: readonly WorkState[];
}) {
  return (
    <FilterForm request={request} page={["translate", codeOf(locale)]}>
      <OtherProblems state={state} fields={filterFields} />
      <Choice
        label="What is to be done"
        name="want"
        state={state}
        all={wanted.map((one) => stateNames[one]).join(", ")}
        options={workStates.map((one) => [one, stateNames[one]])}
      />
      <TextField label="Search" name="q" type="search" state={state} />
      <TextField label="File" name="file" state={state} options={files.slice(0, maxFiles)} />
      <TextField label="Tag" name="tag" state={state} />
      {others.length > 0 && (
        <Choice
          label="Second language"
          name="beside"
          state={state}
          all="a few"
          options={others.map(localeOption)}
        />
      )}
      <button>Show</button>
    </FilterForm>
  );
}

/** Strings that come next, each a link. Those that wait for a review can be approved together. */
export function Next({
  request,
  locale,
  work: { next, claims },
  filters,
  canApprove,
}: {
  readonly request: HiveRequest;
  readonly locale: Locale;
  readonly work: Pick<PageWork, "next" | "claims">;
  readonly filters: LinkQuery;
  /** Whether the strings of the queue wait, and the user may approve them. */
  readonly canApprove: boolean;
}) {
  const { hiveLink, session } = request;
  const path = ["translate", codeOf(locale)];
  const list = (
    <ol class="next">
      {next.map((string, i) => (
        <li>
          {canApprove && (
            <label class="check">
              <input type="checkbox" name="approved" value={String(i)} />
              <span class="visually-hidden">
                Approve <Name name={string.key} />
              </span>
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
      {next.length > 0 && <h2>Next</h2>}
      {next.length === 0 ? null : canApprove ? (
        <PostForm session={session} to={hiveLink(path, filters)}>
          <HiddenFields
            fields={{
              listed: JSON.stringify(next.map(({ file, key, expected }) => ({ file, key, expected }))),
            }}
          />
          {list}
          <button name="change" value="approve-listed">
            Approve the selected
          </button>
        </PostForm>
      ) : (
        list
      )}
      {claims.length > 0 && (
        <>
          <h2>Others work on</h2>
          <ul class="next">
            {claims.map(({ by, items, expiresAt }) => (
              <li>
                <Name name={by} />{" "}
                <span class="soft small">
                  {items.slice(0, 3).map(({ key }, i) => (
                    <>
                      {i > 0 && ", "}
                      <Code name={key} />
                    </>
                  ))}
                  {items.length > 3 && ` and ${figure(items.length - 3)} more`}, {minutes(expiresAt, request)}{" "}
                  min
                </span>
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

function Queued({
  string: { key, source, state, translation },
  isWaiting,
  lang,
}: {
  readonly string: QueuedString;
  readonly isWaiting: boolean;
  readonly lang: string;
}) {
  return (
    <>
      <Text text={shortened(source === "" ? key : source)} />{" "}
      {isWaiting && translation !== undefined && (
        <span class="translated">
          <Text text={shortened(translation)} lang={lang} />
        </span>
      )}
      {!isWaiting && state !== "missing" && <WorkMark state={state} />}
    </>
  );
}

/** The beginning of a text, on one line. */
function shortened(text: string): string {
  const line = text.slice(0, 2 * maxText).replaceAll(/\s+/g, " ");
  return line.length <= maxText ? line : `${line.slice(0, maxText).toWellFormed()}…`;
}
