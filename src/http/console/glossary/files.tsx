/** Files of terms: the glossary as one, and one that becomes the glossary or a part of it, after a preview. */
import { z } from "zod";
import { invalid, isFailure } from "../../../domain/errors.ts";
import { hiveWriteContext, type WriteContext } from "../../../service/access.ts";
import { changeTerms } from "../../../service/context/glossary.ts";
import { glossaryFile, glossaryFormats, termsOfFile } from "../../../service/context/glossary-files.ts";
import { uploadsOf, type TermUpload } from "../../../service/source/uploads.ts";
import { toTerms } from "../../content/glossary.ts";
import { check } from "../../schemas/schemas.ts";
import { hivePage, mayWriteAll } from "../parts/navigation.tsx";
import { hiveForm, PageForm, type HiveForm } from "../parts/page-form.tsx";
import { PlannedForm } from "../parts/post-form.tsx";
import { Facts, Name } from "../parts/text.tsx";
import { useHive } from "../requests/context.tsx";
import type { FormState } from "../requests/form.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { undoOnMain } from "../requests/undoable.ts";
import { comma, t } from "../texts/texts.ts";

const path = ["glossary", "files"] as const;
const ability = "write";

/** The links to the glossary as a file, and the form for one. */
export function GlossaryFiles({
  isEmpty,
  submitted,
}: {
  isEmpty: boolean;
  submitted: FormState | undefined;
}) {
  const request = useHive();
  const { hiveLink } = request;
  const canChange = mayWriteAll(request);
  if (isEmpty && !canChange) return null;
  return (
    <details class="fold" open={submitted?.form === filesForm.path}>
      <summary>{t("glossary-files.files")}</summary>
      {!isEmpty && (
        <p class="actions">
          {glossaryFormats.map((format) => (
            <a class="button" href={hiveLink([...path, "download"], { format })}>
              {t("glossary-files.download_as", { format: format.toUpperCase() })}
            </a>
          ))}
        </p>
      )}
      {canChange && (
        <PageForm
          of={filesForm}
          submitted={submitted}
          isLess
          fields={[
            {
              kind: "file",
              name: "upload",
              accept: ".csv,.tsv,.txt,.tbx,.xml",
              hint: t("glossary-files.hint"),
            },
            {
              kind: "one",
              name: "mode",
              label: t("glossary-files.others"),
              options: modes.map((mode) => [mode, t(`glossary-files.mode_${mode}`)] as const),
            },
          ]}
        />
      )}
    </details>
  );
}

const modes = ["merge", "sync"] as const;
const modeOption = z.object({ mode: z.enum(modes, "must be merge or sync") });

const filesForm: HiveForm = {
  path: path.join("/"),
  button: "replace.preview",
  ability,
  takesFiles: true,
  take: async (request) => {
    const { storage, session, hiveLink, form, context } = request;
    const { mode } = check(modeOption, form.values, "form");
    const file = form.file("upload");
    if (file === undefined) throw invalid("upload", "choose a file");
    const upload: TermUpload = { kind: "terms", file, mode };
    // What cannot be imported is said beside the file, and not on a page that has none.
    await imported(request, upload, { ...context, dryRun: true });
    return { to: hiveLink([...path, uploadsOf(storage).put(session.caller, upload)]) };
  },
};

/** Reads a file and imports its terms. @throws SkepError `invalid` on `upload`. */
async function imported({ storage, hive }: HiveRequest, upload: TermUpload, context: WriteContext) {
  const { terms, unknownLocales, forbidden } = await termsOfFile(storage, hive.slug, upload.file);
  try {
    const sent = await toTerms(terms);
    const { result, ...done } = await changeTerms(storage, hive.slug, sent, upload.mode, context);
    return { counts: result, ...done, unknownLocales, forbidden };
  } catch (error) {
    if (!isFailure(error, "invalid")) throw error;
    const [first] = error.data.issues;
    throw invalid("upload", first?.message ?? error.message, { cause: error });
  }
}

function waitingOf({ storage, session, param }: HiveRequest): TermUpload | undefined {
  const upload = uploadsOf(storage).get(session.caller, param("upload"));
  return upload?.kind === "terms" ? upload : undefined;
}

function gone({ hiveLink }: HiveRequest): PageResult {
  return { to: hiveLink(["glossary"]), notice: "upload-gone" };
}

async function preview(request: HiveRequest): Promise<PageResult> {
  const { storage, hive, hiveLink, param } = request;
  const upload = waitingOf(request);
  if (upload === undefined) return gone(request);
  const context = { ...hiveWriteContext(storage, hive), dryRun: true };
  const { counts, commit, unknownLocales, forbidden } = await imported(request, upload, context);
  const { created, updated, unchanged, deleted } = counts;
  const isNothing = created + updated + deleted === 0;
  return hivePage(
    request,
    "Glossary",
    <>
      <div role="status">
        <Facts
          items={[
            t("glossary-files.created", { count: created }),
            t("glossary-files.updated", { count: updated }),
            upload.mode === "sync" && t("glossary-files.deleted", { count: deleted }),
            t("glossary-files.unchanged", { count: unchanged }),
          ]}
        />
      </div>
      {unknownLocales.length > 0 && (
        <p class="notice warn">
          {t("glossary-files.left_out", { languages: <Name name={unknownLocales.join(comma())} /> })}
        </p>
      )}
      {forbidden.length > 0 && (
        <p class="notice warn">
          {t("glossary-files.forbidden", { terms: <Name name={forbidden.join(comma())} /> })}
        </p>
      )}
      {!isNothing && (
        <PlannedForm
          to={hiveLink([...path, param("upload")])}
          hidden={{ head: commit }}
          button={t("import.import_it")}
        />
      )}
    </>,
    {
      title: t("import.preview_of", { name: upload.file.name }),
      between: [{ label: t("tab.Glossary"), href: hiveLink(["glossary"]) }],
    },
  );
}

async function apply(request: HiveFormRequest): Promise<PageResult> {
  const { storage, session, hiveLink, context, param } = request;
  const upload = waitingOf(request);
  if (upload === undefined) return gone(request);
  const done = await imported(request, upload, context);
  uploadsOf(storage).drop(session.caller, param("upload"));
  return { to: hiveLink(["history", done.commit]), notice: "imported", undo: undoOnMain(request, done) };
}

const downloadQuery = z.strictObject({ format: z.enum(glossaryFormats, "must be csv or tbx") });

async function download({ storage, hive, query }: HiveRequest): Promise<PageResult> {
  const { format } = check(downloadQuery, query, "query");
  return {
    file: Buffer.from(await glossaryFile(storage, hive.slug, format)),
    name: `${hive.slug}-glossary.${format}`,
    type: format === "csv" ? "text/csv; charset=utf-8" : "application/xml; charset=utf-8",
  };
}

/** @param show the page of the glossary, which has the form. */
export function glossaryFilePages(
  show: (request: HiveRequest, submitted: FormState) => Promise<View>,
): readonly PageRoute[] {
  const files = `/hives/:slug/${filesForm.path}`;
  return [
    hiveForm(filesForm, show),
    { kind: "hive", path: `${files}/download`, isSlow: true, handler: download },
    { kind: "hive", path: `${files}/:upload`, ability, isSlow: true, handler: preview },
    { kind: "hive-form", path: `${files}/:upload`, ability, handler: apply },
  ];
}
