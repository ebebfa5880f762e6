/** One commit: its author, its message, and its changes key by key. */
import { useHive } from "../requests/context.tsx";
import type { Child } from "hono/jsx";
import { allows } from "../../../domain/access/token.ts";
import type { ShownChange } from "../../../domain/strings/text-diff.ts";
import { entryAt, showCommit, type HistoryEntry } from "../../../service/content/history.ts";
import { leftTexts, type LeftText } from "../../../service/content/translation-edit.ts";
import { movedPlaces } from "../../../service/content/undo.ts";
import { check } from "../../schemas/schemas.ts";
import { pageQuery, toOffsetLimit } from "../../../api/page.ts";
import { Changes } from "../parts/changes.tsx";
import { OriginFact, Reference } from "../parts/commit-list.tsx";
import { ButtonLink, hivePage, mayWriteAll, mayWriteBetween, Pager } from "../parts/navigation.tsx";
import { PostForm, Unseen } from "../parts/post-form.tsx";
import { Name, Time } from "../parts/text.tsx";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";
import { t, textIn } from "../texts/texts.ts";

const perPage = 100;
/** Operations that change settings alone, which are never undone. */
const ofSettings = new Set(["create-hive", "update-hive", "add-locale", "set-locale", "remove-locale"]);
const commitQuery = pageQuery.pick({ page: true });

async function show(request: HiveRequest): Promise<View> {
  const { storage, branch, hiveLink, param, query, signal, canWrite } = request;
  const { page } = check(commitQuery, query, "query");
  const paging = { page, per_page: perPage };
  const shown = await showCommit(storage, branch, param("commit"), toOffsetLimit(paging), signal);
  const { entry, entries: changes, total } = await shown.read();
  const { commit, subject, message } = entry;
  const { previous } = await entryAt(storage, branch, commit);
  const isUndoable = (total > 0 || isOfValues(entry)) && previous !== undefined;
  const canUndo = isUndoable && (await mayWriteBetween(request, branch, previous, commit));
  const canTag = mayWriteAll(request);
  const left =
    canWrite && previous !== undefined
      ? await leftTexts(storage, branch, changes, await movedPlaces(storage, branch, commit))
      : [];
  return hivePage(
    request,
    "History",
    <>
      <About entry={entry} />
      {(canUndo || canTag) && (
        <p class="actions">
          {canUndo && (
            <ButtonLink to={hiveLink(["history", commit, "undo"])} text="commit.undo_this_commit" />
          )}
          {canTag && <ButtonLink to={hiveLink(["tags"], { at: commit })} text="commit.tag_it" />}
        </p>
      )}
      <h2>{total === 0 ? t("commit.no_text_was_changed") : t("commit.texts_changed", { count: total })}</h2>
      <Changes
        changes={changes}
        action={(change) => <UndoOne change={change} left={left[changes.indexOf(change)]} commit={commit} />}
      />
      <Pager paging={paging} total={total} path={["history", commit]} />
    </>,
    { title: message ?? (subject === "" ? commit.slice(0, 10) : subject) },
  );
}

/** Takes back what a commit did to one text, if it has not changed since, with what follows from it. */
function UndoOne(props: { change: ShownChange; left: LeftText | undefined; commit: string }) {
  const { change, left, commit } = props;
  const { file, key, locale } = change;
  const { hiveLink, canTranslate } = useHive();
  if (left === undefined || !canTranslate(left.locale)) return null;
  const button = (
    <>
      {t("common.undo")} <Unseen name={key} />
    </>
  );
  const part = { file, key, ...(left.source !== undefined && { locale }) };
  return (
    <PostForm to={hiveLink(["history", commit, "undo"])} class="inline" hidden={part}>
      <button class="quiet" name="on_conflict" value="part">
        {button}
      </button>
    </PostForm>
  );
}

/** Whether a commit without changes of texts has changed what can be undone, such as terms, notes or approvals. */
function isOfValues({ operation }: HistoryEntry): boolean {
  return operation !== undefined && !ofSettings.has(operation);
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

export const commitPages: readonly PageRoute[] = [
  { kind: "hive", path: "/hives/:slug/history/:commit", isSlow: true, handler: show },
];
