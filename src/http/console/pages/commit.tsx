/** One commit: its author, its message, and its changes key by key. */
import type { Child } from "hono/jsx";
import { allows } from "../../../domain/access/token.ts";
import type { ShownChange } from "../../../domain/strings/text-diff.ts";
import { entryAt, showCommit, type HistoryEntry } from "../../../service/content/history.ts";
import { editToken, leftTexts, type LeftText } from "../../../service/content/translation-edit.ts";
import { lastSettings } from "../../../service/content/overviews.ts";
import { check, pageQuery } from "../../schemas/schemas.ts";
import { toOffsetLimit } from "../../schemas/page.ts";
import { Changes } from "../parts/changes.tsx";
import { operationNames, OriginFact, Reference } from "../parts/commit-list.tsx";
import { countOf } from "../parts/facts.tsx";
import { hiveSteps, hiveTabs } from "../parts/navigation.ts";
import { languagesOf } from "../parts/languages.ts";
import { HiddenFields, PostForm } from "../parts/post-form.tsx";
import { stringLink } from "../parts/string-link.ts";
import { Pager } from "../parts/pager.tsx";
import { Name } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";

const perPage = 100;
/** Operations that change no text, and can be undone. */
const ofGlossary = new Set(["import-glossary", "sync-glossary", "delete-term", "change-style"]);
const commitQuery = pageQuery.pick({ page: true });

async function show(request: HiveRequest): Promise<View> {
  const { storage, hive, branch, hiveLink, param, query, signal, canWrite } = request;
  const { page } = check(commitQuery, query, "query");
  const paging = { page, per_page: perPage };
  const shown = await showCommit(storage, branch, param("commit"), toOffsetLimit(paging), signal);
  const { entry, changes, total } = await shown.read();
  const { commit, subject, message } = entry;
  const { previous } = await entryAt(storage, branch, commit);
  const lang = languagesOf(await lastSettings(storage, hive.slug));
  const left = canWrite ? await leftTexts(storage, branch, changes) : [];
  return {
    title: message ?? (subject === "" ? commit.slice(0, 10) : subject),
    above: hiveSteps(request, { label: "History", href: hiveLink(["history"]) }),
    tabs: hiveTabs(request, "History"),
    body: (
      <>
        <About request={request} entry={entry} />
        {canWrite && (
          <p class="actions">
            {(total > 0 || ofGlossary.has(entry.operation ?? "")) && previous !== undefined && (
              <a class="button" href={hiveLink(["history", commit, "undo"])}>
                Undo this commit…
              </a>
            )}
            <a class="button" href={hiveLink(["tags"], { at: commit })}>
              Tag it…
            </a>
          </p>
        )}
        <h2>{total === 0 ? "No text was changed" : `${countOf(total, "text")} changed`}</h2>
        <Changes
          changes={changes}
          lang={lang}
          hiveLink={hiveLink}
          action={(change) => (
            <UndoOne
              request={request}
              change={change}
              left={left[changes.indexOf(change)]}
              commit={commit}
              previous={previous}
            />
          )}
        />
        <Pager paging={paging} total={total} to={(other) => hiveLink(["history", commit], { page: other })} />
      </>
    ),
  };
}

/** Takes back what a commit did to one text, if it has not changed since; of a source text with what follows from it. */
function UndoOne({
  request: { session, hiveLink, canTranslate },
  change: { file, key, locale, before },
  left,
  commit,
  previous,
}: {
  readonly request: HiveRequest;
  readonly change: ShownChange;
  readonly left: LeftText | undefined;
  readonly commit: string;
  /** The previous commit. */
  readonly previous: string | undefined;
}) {
  if (left === undefined || previous === undefined || !canTranslate(left.locale)) return null;
  const button = (
    <>
      Undo{" "}
      <span class="visually-hidden">
        <Name name={key} />
      </span>
    </>
  );
  if (left.source === undefined)
    return (
      <PostForm session={session} to={hiveLink(["history", commit, "undo"])} class="inline">
        <HiddenFields fields={{ file, key }} />
        <button class="quiet" name="on_conflict" value="string">
          {button}
        </button>
      </PostForm>
    );
  const fields = {
    locale,
    seen: editToken(left.source, left.text),
    commit: previous,
    file,
    key,
  };
  return (
    <PostForm session={session} to={stringLink(hiveLink, file, key)} class="inline">
      <HiddenFields fields={fields} />
      <button class="quiet" name="change" value={before === undefined ? "remove" : "restore"}>
        {button}
      </button>
    </PostForm>
  );
}

function About({
  request: { session, link },
  entry: { commit, time, author, subject, message, ref, origin, operation, token, person },
}: {
  readonly request: HiveRequest;
  readonly entry: HistoryEntry;
}) {
  const by = <Name name={author.name} />;
  const isLinked = (token ?? person) !== undefined && allows(session.caller.principal, "admin");
  const about =
    person === undefined ? `${link(["team", "tokens"])}#token-${token}` : link(["team", "people", person]);
  const facts: Readonly<Record<string, Child>> = {
    What: message !== undefined && <Name name={subject} />,
    By: isLinked ? <a href={about}>{by}</a> : by,
    When: <Time seconds={time} />,
    Kind: operation !== undefined && <Name name={operationNames[operation] ?? operation} />,
    "Made by": origin !== undefined && <OriginFact origin={origin} />,
    Reference: ref !== undefined && <Reference reference={ref} />,
    Commit: <code>{commit}</code>,
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
