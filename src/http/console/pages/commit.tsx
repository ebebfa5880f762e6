/** One commit: its author, its message, and its changes key by key; and undoing it, after a preview of the changes. */
import { useHive } from "../requests/context.tsx";
import type { Child } from "hono/jsx";
import { allows } from "../../../domain/access/token.ts";
import type { ShownChange } from "../../../domain/strings/text-diff.ts";
import { entryAt, showCommit, type HistoryEntry } from "../../../service/content/history.ts";
import { seenText, leftTexts, type LeftText } from "../../../service/content/translation-edit.ts";
import { seenToken } from "../../../service/work/seen.ts";
import { check, originField } from "../../schemas/schemas.ts";
import { pageQuery, toOffsetLimit } from "../../../api/page.ts";
import { Changes, FileLinks, PlannedChanges } from "../parts/changes.tsx";
import { OriginFact, Reference } from "../parts/commit-list.tsx";
import { ButtonLink, hivePage, mayWriteTo, Pager } from "../parts/navigation.tsx";
import { PlannedForm, PostForm, Unseen } from "../parts/post-form.tsx";
import { stringLink } from "../requests/links.ts";
import { Name, Time, Key } from "../parts/text.tsx";
import type { HiveRequest, PageRoute, View, HiveFormRequest, PageResult } from "../requests/page.ts";
import { t, textIn, type TextKey } from "../texts/texts.ts";
import { z } from "zod";
import { invalid, isFailure } from "../../../domain/errors.ts";
import { isFileName } from "../../../domain/names.ts";
import { undoCommit } from "../../../service/content/undo.ts";
import { hiveWriteContext, type CommitResult, type WriteContext } from "../../../service/access.ts";
import { asRevision, once } from "../../../api/objects.ts";
import { originKinds } from "../../../domain/commits/origin.ts";
import { toSeconds } from "../../../domain/commits/revision.ts";
import type { UndoCounts } from "../../../domain/plans/undo.ts";
import { undoOrigin } from "../../../service/review/undo-origin.ts";
import { FilterForm } from "../parts/page-form.tsx";
import { readFiltered } from "../requests/form.ts";

const perPage = 100;
/** Operations that change no text, and can be undone. */
const ofGlossary = new Set(["import-glossary", "sync-glossary", "delete-term", "change-style"]);
const commitQuery = pageQuery.pick({ page: true });

async function show(request: HiveRequest): Promise<View> {
  const { storage, branch, hiveLink, param, query, signal, canWrite } = request;
  const { page } = check(commitQuery, query, "query");
  const paging = { page, per_page: perPage };
  const shown = await showCommit(storage, branch, param("commit"), toOffsetLimit(paging), signal);
  const { entry, entries: changes, total } = await shown.read();
  const { commit, subject, message } = entry;
  const { previous } = await entryAt(storage, branch, commit);
  const isInReach = mayWriteTo(
    request,
    changes.map(({ locale }) => locale),
  );
  const left = canWrite ? await leftTexts(storage, branch, changes) : [];
  return hivePage(
    request,
    "History",
    <>
      <About entry={entry} />
      {canWrite && (
        <p class="actions">
          {(total > 0 || ofGlossary.has(entry.operation ?? "")) && previous !== undefined && isInReach && (
            <ButtonLink to={hiveLink(["history", commit, "undo"])} text="commit.undo_this_commit" />
          )}
          <ButtonLink to={hiveLink(["tags"], { at: commit })} text="commit.tag_it" />
        </p>
      )}
      <h2>{total === 0 ? t("commit.no_text_was_changed") : t("commit.texts_changed", { count: total })}</h2>
      <Changes
        changes={changes}
        action={(change) => (
          <UndoOne change={change} left={left[changes.indexOf(change)]} commit={commit} previous={previous} />
        )}
      />
      <Pager paging={paging} total={total} path={["history", commit]} />
    </>,
    { title: message ?? (subject === "" ? commit.slice(0, 10) : subject) },
  );
}

/** Takes back what a commit did to one text, if it has not changed since; of a source text with what follows from it. */
function UndoOne(props: {
  change: ShownChange;
  left: LeftText | undefined;
  commit: string;
  previous: string | undefined;
}) {
  const { change, left, commit, previous } = props;
  const { file, key, locale, before } = change;
  const { hiveLink, canTranslate } = useHive();
  if (left === undefined || previous === undefined || !canTranslate(left.locale)) return null;
  const button = (
    <>
      {t("common.undo")} <Unseen name={key} />
    </>
  );
  if (left.source === undefined)
    return (
      <PostForm to={hiveLink(["history", commit, "undo"])} class="inline" hidden={{ file, key }}>
        <button class="quiet" name="on_conflict" value="string">
          {button}
        </button>
      </PostForm>
    );
  const seen = seenToken(seenText(left.source, left.text));
  const fields = { locale, seen, commit: previous, file, key };
  return (
    <PostForm to={stringLink(hiveLink, file, key)} class="inline" hidden={fields}>
      <button class="quiet" name="change" value={before === undefined ? "remove" : "restore"}>
        {button}
      </button>
    </PostForm>
  );
}

function About(props: { entry: HistoryEntry }) {
  const { entry } = props;
  const { commit, time, author, subject, message, ref, origin, operation, token, person } = entry;
  const { session, link } = useHive();
  const by = <Name name={author.name} />;
  const isLinked = (token ?? person) !== undefined && allows(session.caller.principal, "admin");
  const about =
    person === undefined ? `${link(["team", "tokens"])}#token-${token}` : link(["team", "people", person]);
  const facts: Readonly<Record<string, Child>> = {
    [t("commit.what")]: message !== undefined && <Name name={subject} />,
    [t("commit.by")]: isLinked ? <a href={about}>{by}</a> : by,
    [t("commit.when")]: <Time seconds={time} />,
    [t("common.kind")]: operation !== undefined && (
      <Name name={textIn("operation", operation) ?? operation} />
    ),
    [t("common.made_by")]: origin !== undefined && <OriginFact origin={origin} />,
    [t("commit.reference")]: ref !== undefined && <Reference reference={ref} />,
    [t("commit.commit")]: <code>{commit}</code>,
  };
  return (
    <dl class="about">
      {Object.entries(facts).map(
        ([term, fact]) =>
          fact !== false && (
            <div>
              <dt>{term}</dt>
              <dd>{fact}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

const onConflict = z.enum(["fail", "skip"]);
const undoQuery = z.strictObject({ on_conflict: onConflict.default("fail") });

async function preview(request: HiveRequest): Promise<View> {
  const { storage, hive, branch, hiveLink, param, query } = request;
  const { on_conflict: strategy } = check(undoQuery, query, "query");
  const commit = param("commit");
  const context: WriteContext = { ...hiveWriteContext(storage, hive), dryRun: true, maxDeletions: Infinity };
  try {
    const planned = await undoCommit(storage, branch, { commit, onConflict: strategy }, context);
    const count = planned.preview?.changes.length ?? 0;
    // An undo that is impossible is a conflict; with `skip`, all texts may be skipped.
    const isPossible = count > 0 || strategy === "fail" || (planned.result.confirmations ?? 0) > 0;
    return frame(
      request,
      <Planned planned={planned} isPossible={isPossible}>
        <PlannedForm
          to={hiveLink(["history", commit, "undo"])}
          hidden={{ head: planned.commit, on_conflict: strategy }}
          button={t("common.undo")}
        />
      </Planned>,
    );
  } catch (error) {
    if (!isFailure(error, "text-conflict")) throw error;
    const { conflicts, total } = error.data;
    const rest = await undoCommit(storage, branch, { commit, onConflict: "skip" }, context);
    const isRest = (rest.preview?.changes.length ?? 0) > 0 || (rest.result.confirmations ?? 0) > 0;
    return frame(
      request,
      <>
        <p class="notice warn">{t("undo.texts_have_been_changed", { count: total })}</p>
        <ul>
          {conflicts.map(({ locale, file, key }) => (
            <li>
              <FileLinks hiveLink={hiveLink} locale={locale} file={file} />{" "}
              <Key name={key} href={stringLink(hiveLink, file, key)} />
            </li>
          ))}
        </ul>
        <p>{t("undo.each_string_has")}</p>
        {isRest && (
          <p>
            <ButtonLink
              to={hiveLink(["history", commit, "undo"], { on_conflict: "skip" })}
              text="undo.undo_the_rest"
            />
          </p>
        )}
      </>,
    );
  }
}

/** What an undo would change. @param props.children the form that makes it. */
function Planned(props: {
  planned: CommitResult<UndoCounts>;
  isPossible: boolean;
  before?: TextKey;
  children: Child;
}) {
  const { planned, isPossible, before = "undo.would_be_as_before", children } = props;
  const { preview: changed, result } = planned;
  const count = changed?.changes.length ?? 0;
  return (
    <>
      <p role="status">
        {count > 0
          ? t(before, { count })
          : t(isPossible ? "undo.no_text_would_change_but" : "undo.nothing_would_change")}
        {result.skipped > 0 && ` ${t("undo.changed_since_would_stay", { skipped: result.skipped })}`}
      </p>
      {isPossible && children}
      {isPossible && <PlannedChanges preview={changed} />}
    </>
  );
}

function frame(request: HiveRequest, body: View["body"]): View {
  const { hiveLink, param } = request;
  const commit = param("commit");
  const between = [
    { label: t("common.history"), href: hiveLink(["history"]) },
    { label: commit.slice(0, 10), href: hiveLink(["history", commit]) },
  ];
  return hivePage(request, "History", body, { title: t("undo.undo_a_commit"), between });
}

async function undo(request: HiveFormRequest): Promise<PageResult> {
  const { storage, branch, hiveLink, param, form, context } = request;
  const strategy = check(z.enum(["string", ...onConflict.options]), form.text("on_conflict"), "on_conflict");
  const [file, key] = [form.text("file"), form.text("key")];
  const isPart = strategy === "string";
  if (isPart && !isFileName(file)) throw invalid("file", "is no file");
  const only = isPart && isFileName(file) ? { file, key } : undefined;
  const wanted = { commit: param("commit"), onConflict: isPart ? ("fail" as const) : strategy, only };
  // No limit: the user has seen the deletions in the preview, and can undo them.
  const unlimited = { ...context, maxDeletions: Infinity };
  try {
    const { commit } = await undoCommit(storage, branch, wanted, unlimited);
    return { to: hiveLink(["history", commit]), notice: "undone" };
  } catch (error) {
    if (!isPart || !isFailure(error, "text-conflict")) throw error;
    return { to: hiveLink(["history", param("commit")]), notice: "undo-changed" };
  }
}

/** As the history has it: a date is the first day of which texts are undone. */
const originQuery = z.strictObject({ origin: originField, since: once.meta(asRevision) });

/** The revision before all that the history lists since then; the beginning where nothing is named. */
function revisionBefore(since: string | undefined): string {
  const first = since === undefined ? 1 : toSeconds(since)?.first;
  return first === undefined ? (since ?? "") : new Date((first - 1) * 1000).toISOString();
}

async function previewOrigin(request: HiveRequest): Promise<View> {
  const { storage, hive, branch, hiveLink, query, signal } = request;
  const filtered = await readFiltered(originQuery, query, async ({ origin, since }) => {
    if (origin === undefined) return {};
    const context = { ...hiveWriteContext(storage, hive), dryRun: true, maxDeletions: Infinity };
    const wanted = { origin, since: revisionBefore(since), signal };
    const planned = await undoOrigin(storage, branch, wanted, context);
    return { preview: { planned, hidden: { origin, since: since ?? "", head: planned.commit } } };
  });
  const { preview: { planned, hidden } = {} } = filtered.result ?? {};
  const page = hivePage(
    request,
    "History",
    <>
      <p class="soft">{t("undo.about_origins")}</p>
      <FilterForm
        page={["undo"]}
        state={filtered}
        button={t("replace.preview")}
        fields={[
          {
            kind: "one",
            name: "origin",
            label: t("common.made_by"),
            options: originKinds.map((kind) => [kind, t(`origin.${kind}`)] as const),
          },
          { name: "since", label: t("common.from"), type: "date" },
        ]}
      />
      {planned !== undefined && hidden !== undefined && (
        <Planned
          planned={planned}
          isPossible={(planned.preview?.changes.length ?? 0) > 0}
          before="undo.would_be_as_before_that"
        >
          <PlannedForm to={hiveLink(["undo"])} hidden={hidden} button={t("common.undo")} />
        </Planned>
      )}
    </>,
    {
      title: t("undo.undo_all_of_an_origin"),
      between: [{ label: t("common.history"), href: hiveLink(["history"]) }],
    },
  );
  return { ...page, status: filtered.result === undefined ? 422 : undefined };
}

async function undoAllOf(request: HiveFormRequest): Promise<PageResult> {
  const { storage, branch, hiveLink, form, context } = request;
  const given = { origin: form.word("origin"), since: form.word("since") };
  const { origin, since } = check(originQuery.required({ origin: true }), given, "form");
  if (origin === undefined) throw invalid("origin", "must not be empty");
  const unlimited = { ...context, maxDeletions: Infinity };
  const wanted = { origin, since: revisionBefore(since) };
  const { commit, isUnchanged } = await undoOrigin(storage, branch, wanted, unlimited);
  if (isUnchanged === true) return { to: hiveLink(["undo"], { origin, since }), notice: "done-none" };
  return { to: hiveLink(["history", commit]), notice: "undone" };
}

const path = "/hives/:slug/history/:commit";
const pathOfAll = "/hives/:slug/undo";

export const commitPages: readonly PageRoute[] = [
  { kind: "hive", path, isSlow: true, handler: show },
  { kind: "hive", path: `${path}/undo`, ability: "write", isSlow: true, handler: preview },
  { kind: "hive-form", path: `${path}/undo`, ability: "write", handler: undo },
  { kind: "hive", path: pathOfAll, ability: "write", isSlow: true, handler: previewOrigin },
  { kind: "hive-form", path: pathOfAll, ability: "write", handler: undoAllOf },
];
