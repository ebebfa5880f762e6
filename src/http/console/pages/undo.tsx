/** Undoes one commit, after a preview of the changes. */
import { z } from "zod";
import { invalid, isFailure } from "../../../domain/errors.ts";
import { isFileName } from "../../../domain/names.ts";
import { undoCommit } from "../../../service/content/undo.ts";
import { hiveWriteContext, type WriteContext } from "../../../service/write-context.ts";
import { check } from "../../schemas/schemas.ts";
import { PlannedChanges } from "../parts/changes.tsx";
import { countOf } from "../parts/facts.tsx";
import { hiveSteps, hiveTabs } from "../parts/navigation.ts";
import { PostForm } from "../parts/post-form.tsx";
import { figure } from "../requests/reader.ts";
import { stringLink } from "../parts/string-link.ts";
import { Code } from "../parts/text.tsx";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";

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
      <>
        <p>
          {count === 0
            ? isPossible
              ? "No text would change, but their order, what is confirmed, or the glossary would be as before that commit."
              : "Nothing would change."
            : `${countOf(count, "text")} would be as before that commit, by a new commit.`}
          {planned.result.skipped > 0 &&
            ` ${figure(planned.result.skipped)} changed since would stay as they are.`}
        </p>
        {isPossible && <UndoForm request={request} head={planned.commit} strategy={strategy} />}
        <PlannedChanges preview={planned.preview} hiveLink={hiveLink} />
      </>,
    );
  } catch (error) {
    if (!isFailure(error, "text-conflict")) throw error;
    const { conflicts, total } = error.data;
    return frame(
      request,
      <>
        <p class="notice warn">
          {total === 1 ? "A text has" : `${figure(total)} texts have`} been changed since that commit, so it
          cannot be undone as a whole.
        </p>
        <ul>
          {conflicts.map(({ locale, file, key }) => (
            <li>
              <Code name={locale} /> <Code name={file} />{" "}
              <a href={stringLink(hiveLink, file, key)}>
                <Code name={key} />
              </a>
            </li>
          ))}
        </ul>
        <p>
          <a class="button" href={hiveLink(["history", commit, "undo"], { on_conflict: "skip" })}>
            Undo the rest…
          </a>
        </p>
      </>,
    );
  }
}

function UndoForm({
  request,
  head,
  strategy,
}: {
  readonly request: HiveRequest;
  readonly head: string;
  readonly strategy: string;
}) {
  const { session, hiveLink, param } = request;
  return (
    <PostForm session={session} to={hiveLink(["history", param("commit"), "undo"])} class="stacked">
      <input type="hidden" name="head" value={head} />
      <input type="hidden" name="on_conflict" value={strategy} />
      <label for="message">Why? It stands in the history.</label>
      <input id="message" name="message" maxlength={1000} />
      <button class="primary">Undo</button>
    </PostForm>
  );
}

function frame(request: HiveRequest, body: View["body"]): View {
  const { hiveLink, param } = request;
  const commit = param("commit");
  return {
    title: "Undo a commit",
    above: hiveSteps(
      request,
      { label: "History", href: hiveLink(["history"]) },
      { label: commit.slice(0, 10), href: hiveLink(["history", commit]) },
    ),
    tabs: hiveTabs(request, "History"),
    body,
  };
}

async function undo({
  storage,
  branch,
  hiveLink,
  param,
  form,
  context,
}: HiveFormRequest): Promise<PageResult> {
  const strategy = check(z.enum(["string", ...onConflict.options]), form.text("on_conflict"), "on_conflict");
  const [file, key] = [form.text("file"), form.text("key")];
  const isPart = strategy === "string";
  if (isPart && !isFileName(file)) throw invalid("file", "is no file");
  const only = isPart && isFileName(file) ? { file, key } : undefined;
  const request = { commit: param("commit"), onConflict: isPart ? ("fail" as const) : strategy, only };
  // No limit: the user has seen the deletions in the preview, and can undo them.
  const unlimited = { ...context, maxDeletions: Infinity };
  try {
    const { commit } = await undoCommit(storage, branch, request, unlimited);
    return { to: hiveLink(["history", commit]), notice: "undone" };
  } catch (error) {
    if (!isPart || !isFailure(error, "text-conflict")) throw error;
    return { to: hiveLink(["history", param("commit")]), notice: "undo-changed" };
  }
}

const path = "/hives/:slug/history/:commit/undo";

export const undoPages: readonly PageRoute[] = [
  { kind: "hive", path, ability: "write", isSlow: true, handler: preview },
  { kind: "hive-form", path, ability: "write", handler: undo },
];
