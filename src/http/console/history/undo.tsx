/** Undoing a commit, or all texts of an origin, after a preview of the changes. */
import type { Child } from "hono/jsx";
import { z } from "zod";
import { asRevision, once } from "../../../api/objects.ts";
import { originKinds } from "../../../domain/commits/origin.ts";
import { toSeconds } from "../../../domain/commits/revision.ts";
import { invalid, isFailure } from "../../../domain/errors.ts";
import { isFileName } from "../../../domain/names.ts";
import type { UndoCounts } from "../../../domain/plans/undo.ts";
import { hiveWriteContext, type CommitResult, type WriteContext } from "../../../service/access.ts";
import { isOfGlossary, undoCommit } from "../../../service/content/undo.ts";
import { undoOrigin } from "../../../service/review/undo-origin.ts";
import { originField } from "../../../api/content/commits.ts";
import { check } from "../../schemas/schemas.ts";
import { FileLinks, PlannedChanges } from "../parts/changes.tsx";
import { ButtonLink, hivePage } from "../parts/navigation.tsx";
import { FilterForm } from "../parts/page-form.tsx";
import { PlannedForm } from "../parts/post-form.tsx";
import { Key } from "../parts/text.tsx";
import { readFiltered } from "../requests/form.ts";
import { stringLink } from "../requests/links.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { t, type TextKey } from "../texts/texts.ts";

const onConflict = z.enum(["fail", "skip"]);
const undoQuery = z.strictObject({ on_conflict: onConflict.default("fail") });

async function preview(request: HiveRequest): Promise<View> {
  const { storage, hive, branch, hiveLink, param, query } = request;
  const { on_conflict: strategy } = check(undoQuery, query, "query");
  const commit = param("commit");
  const context: WriteContext = { ...hiveWriteContext(storage, hive), dryRun: true, maxDeletions: Infinity };
  try {
    const planned = await undoCommit(storage, branch, { commit, onConflict: strategy }, context);
    return frame(
      request,
      <Planned planned={planned}>
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
    return frame(
      request,
      <>
        <p class="notice warn">{t("undo.texts_have_been_changed", { count: total })}</p>
        <ul>
          {conflicts.map(({ locale, file, key }) => (
            <li>
              {isOfGlossary(file) ? (
                <a href={hiveLink(["glossary"])}>{t("tab.Glossary")}</a>
              ) : (
                <>
                  <FileLinks hiveLink={hiveLink} locale={locale} file={file} />{" "}
                  <Key name={key} href={stringLink(hiveLink, file, key)} />
                </>
              )}
            </li>
          ))}
        </ul>
        <p>{t("undo.each_string_has")}</p>
        {rest.isUnchanged !== true && (
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
function Planned(props: { planned: CommitResult<UndoCounts>; before?: TextKey; children: Child }) {
  const { planned, before = "undo.would_be_as_before", children } = props;
  const { preview: changed, result } = planned;
  const isPossible = planned.isUnchanged !== true;
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
  const strategy = check(z.enum(["part", ...onConflict.options]), form.text("on_conflict"), "on_conflict");
  const [file, key] = [form.text("file"), form.text("key")];
  const isPart = strategy === "part";
  if (isPart && !isFileName(file)) throw invalid("file", "is no file");
  const locale = form.text("locale");
  const only = isPart && isFileName(file) ? { file, key, ...(locale !== "" && { locale }) } : undefined;
  const wanted = { commit: param("commit"), onConflict: isPart ? ("fail" as const) : strategy, only };
  // No limit: the user has seen the deletions in the preview, and can undo them.
  const unlimited = { ...context, maxDeletions: Infinity };
  try {
    const { commit, waiting } = await undoCommit(storage, branch, wanted, unlimited);
    return { to: hiveLink(["history", commit]), notice: "undone", waits: waiting };
  } catch (error) {
    if (!isPart || !isFailure(error, "text-conflict")) throw error;
    return { to: hiveLink(["history", param("commit")]), notice: "undo-changed" };
  }
}

/** As the history has it: a date is the first day of which texts are undone. */
const originQuery = z.strictObject({ origin: originField, since: once.meta(asRevision) });
const undoneOrigin = originQuery.extend({ origin: originField.unwrap() });

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
        <Planned planned={planned} before="undo.would_be_as_before_that">
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
  const { origin, since } = check(undoneOrigin, given, "form");
  const unlimited = { ...context, maxDeletions: Infinity };
  const wanted = { origin, since: revisionBefore(since) };
  const { commit, isUnchanged, waiting } = await undoOrigin(storage, branch, wanted, unlimited);
  if (isUnchanged === true) return { to: hiveLink(["undo"], { origin, since }), notice: "done-none" };
  return { to: hiveLink(["history", commit]), notice: "undone", waits: waiting };
}

const path = "/hives/:slug/history/:commit/undo";
const pathOfAll = "/hives/:slug/undo";

export const undoPages: readonly PageRoute[] = [
  { kind: "hive", path, ability: "write", isSlow: true, handler: preview },
  { kind: "hive-form", path, ability: "write", handler: undo },
  { kind: "hive", path: pathOfAll, ability: "write", isSlow: true, handler: previewOrigin },
  { kind: "hive-form", path: pathOfAll, ability: "write", handler: undoAllOf },
];
