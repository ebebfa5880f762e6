/** Imports of files that people upload: of source strings, and of the translations of a locale; each after a preview. */
import type { Child } from "hono/jsx";
import { z } from "zod";
import { invalid, isFailure } from "../../../domain/errors.ts";
import type { HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { hiveWriteContext, type CommitResult } from "../../../service/access.ts";
import { hiveOutline } from "../../../service/content/string-search.ts";
import { readyImport, type FileUpload, type ImportCounts } from "../../../service/source/import-upload.ts";
import { uploadFormats } from "../../../service/source/read-upload.ts";
import { uploadsOf } from "../../../service/source/uploads.ts";
import { once } from "../../../api/objects.ts";
import { check } from "../../schemas/schemas.ts";
import { localeOptions, type FormField } from "../parts/fields.tsx";
import { FoundIn } from "../parts/findings.tsx";
import { mayWriteAll, ButtonLink, hivePage } from "../parts/navigation.tsx";
import { hiveForm, PageForm, type HiveForm } from "../parts/page-form.tsx";
import { planned, Previewed, writeAsPreviewed } from "../parts/previewed.tsx";
import { Code, Facts, Key, Name } from "../parts/text.tsx";
import type { Form, FormState } from "../requests/form.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

const ability = "write";

async function show(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, branch, canTranslate } = request;
  const { settings, files } = await hiveOutline(storage, branch);
  const isTranslated = files.length > 0 && settings.targetLocales.some(canTranslate);
  const source = mayWriteAll(request) && (
    <PageForm of={sourceForm} submitted={submitted} fields={sourceFields(files)} isLess={isTranslated} />
  );
  const translations = isTranslated && (
    <PageForm
      of={translationsForm}
      submitted={submitted}
      fields={translationFields(request, settings, files)}
    />
  );
  return importPage(
    request,
    <>
      <p class="soft">{t("import.about")}</p>
      {source !== false && translations !== false ? (
        <div class="columns">
          <div>{translations}</div>
          <div>{source}</div>
        </div>
      ) : (
        <>
          {translations}
          {source}
        </>
      )}
    </>,
  );
}

/** @param file the name of the file that the page is about. */
function importPage(request: HiveRequest, body: Child, file?: string): View {
  const { hiveLink } = request;
  const strings = { label: t("common.strings"), href: hiveLink(["strings"]) };
  const imports = { label: t("import.import"), href: hiveLink(["import"]) };
  return hivePage(request, "Strings", body, {
    title: file === undefined ? t("import.import") : t("import.preview_of", { name: file }),
    between: file === undefined ? [strings] : [strings, imports],
  });
}

/** The fields of both forms. @param hint what is said of the name. */
function fileFields(files: readonly string[], hint: string): readonly FormField[] {
  const formats = uploadFormats.map((name) => [name, name] as const);
  return [
    { kind: "file", name: "upload" },
    { name: "name", label: t("import.name"), options: files, hint },
    { kind: "one", name: "format", all: t("import.by_its_ending"), options: formats },
  ];
}

function sourceFields(files: readonly string[]): readonly FormField[] {
  return [
    ...fileFields(files, t("import.name_of_source")),
    { kind: "one", name: "mode", options: ["import", "sync"] },
    { kind: "one", name: "conflict_strategy", options: ["keep", "clear"] },
  ];
}

function translationFields(
  request: HiveRequest,
  { targetLocales }: HiveSettings,
  files: readonly string[],
): readonly FormField[] {
  const { canTranslate, query } = request;
  const [value] = typeof query.locale === "string" ? [query.locale] : [];
  return [
    {
      kind: "one",
      name: "locale",
      options: localeOptions(request, targetLocales.filter(canTranslate)),
      value,
    },
    ...fileFields(files, t("import.name_of_translations")),
    { kind: "one", name: "overwrite_strategy", options: ["skip", "overwrite"] },
    { kind: "switch", name: "same_as_source" },
  ];
}

const sourceOptions = z.object({
  mode: z.enum(["import", "sync"], "must be import or sync"),
  conflict_strategy: z.enum(["keep", "clear"], "must be keep or clear"),
});

/** A form for a file, which leads to its preview. @param uploadOf what its options make of the file. */
function fileForm(
  of: Pick<HiveForm, "path" | "title">,
  uploadOf: (form: Form, file: ReturnType<typeof fileIn>) => FileUpload,
): HiveForm {
  const take: HiveForm["take"] = (request) => keep(request, uploadOf(request.form, fileIn(request.form)));
  return { ...of, button: "replace.preview", ability, takesFiles: true, take };
}

const sourceForm = fileForm({ path: "import/source", title: "import.source_strings" }, (form, file) => {
  const { mode, conflict_strategy: conflictStrategy } = check(sourceOptions, form.values, "form");
  return { kind: "source", ...file, mode, conflictStrategy };
});

const translationOptions = z.object({
  locale: once.pipe(z.string("must be given")),
  overwrite_strategy: z.enum(["skip", "overwrite"], "must be skip or overwrite"),
});

const translationsForm = fileForm(
  { path: "import/translations", title: "string.translations" },
  (form, file) => {
    const { locale, overwrite_strategy: overwriteStrategy } = check(translationOptions, form.values, "form");
    const isSameTaken = form.text("same_as_source") !== "";
    return { kind: "translations", ...file, locale, overwriteStrategy, isSameTaken };
  },
);

/** @throws SkepError `invalid` where no file was chosen. */
function fileIn(form: Form): Pick<FileUpload, "file" | "name" | "format"> {
  const file = form.file("upload");
  if (file === undefined) throw invalid("upload", "choose a file");
  return { file, name: form.word("name"), format: form.word("format") };
}

/** Keeps a file that can be imported, and leads to its preview. */
async function keep(request: HiveFormRequest, upload: FileUpload): Promise<PageResult> {
  const { storage, branch, session, hiveLink, context } = request;
  const { write } = await readyImport(storage, branch, upload);
  await planned(write, context).catch((error: unknown) => {
    // The preview lists what checks refuse.
    if (!isFailure(error, "check-failed")) throw error;
  });
  return { to: hiveLink(["import", uploadsOf(storage).put(session.caller, upload)]) };
}

/** The upload that the address names; undefined for one that waits no more, or is somebody else's. */
function waitingOf({ storage, session, param }: HiveRequest): FileUpload | undefined {
  const upload = uploadsOf(storage).get(session.caller, param("upload"));
  return upload?.kind === "terms" ? undefined : upload;
}

function gone({ hiveLink }: HiveRequest): PageResult {
  return { to: hiveLink(["import"]), notice: "upload-gone" };
}

const previewQuery = z.strictObject({ checks: z.enum(["warn"], "must be warn").optional() });

/** @param changed what the import would do, where that is something else than when it was applied. */
async function preview(request: HiveRequest, changed?: CommitResult<ImportCounts>): Promise<PageResult> {
  const { storage, branch, hive, query, hiveLink, param } = request;
  const upload = waitingOf(request);
  if (upload === undefined) return gone(request);
  const { checks } = check(previewQuery, query, "query");
  const { name, write } = await readyImport(storage, branch, upload);
  const context = { ...hiveWriteContext(storage, hive), allowFindings: checks !== undefined };
  const path = ["import", param("upload")];
  const about = <About upload={upload} name={name} />;
  try {
    const plan = changed ?? (await planned(write, context));
    return importPage(
      request,
      <>
        {about}
        <Previewed
          to={hiveLink(path, { checks })}
          planned={plan}
          values={{}}
          button={t("import.import_it")}
          isChanged={changed !== undefined}
        >
          <NotTaken plan={plan} />
        </Previewed>
      </>,
      upload.file.name,
    );
  } catch (error) {
    if (!isFailure(error, "check-failed")) throw error;
    const { findings: listed, total } = error.data;
    const body = (
      <>
        {about}
        <p class="notice wrong">{t("import.texts_would_break")}</p>
        {hive.checks !== "strict" && (
          <p class="actions">
            <ButtonLink to={hiveLink(path, { checks: "warn" })} text="import.preview_it_all_the_same" />
          </p>
        )}
        <FoundIn findings={{ listed, total }} isOpen />
      </>
    );
    return { ...importPage(request, body, upload.file.name), status: 422 };
  }
}

/** Which file it is, and what it is imported as. */
function About({ upload, name }: { upload: FileUpload; name: string }) {
  const what =
    upload.kind === "source"
      ? t("import.as_source", { name: <Code name={name} /> })
      : t("import.as_translations", { name: <Code name={name} />, locale: <code>{upload.locale}</code> });
  return (
    <p>
      <Name name={upload.file.name} /> {what}
    </p>
  );
}

/** How many keys that are not taken are listed. */
const maxListed = 100;

/** What the file has and the Hive does not take: values that are no texts, and keys of no string or with a translation. */
function NotTaken({ plan }: { plan: CommitResult<ImportCounts> }) {
  const { result } = plan;
  const { leavesSkipped = 0 } = result;
  const counts = "unknown" in result ? result : { unknown: 0, skipped: 0 };
  const keys = plan.preview?.rejectedKeys;
  return (
    <>
      {leavesSkipped > 0 && <p>{t("import.no_texts", { count: leavesSkipped })}</p>}
      {(["unknown", "skipped"] as const).map((kind) => {
        const [listed, count] = [keys?.[kind] ?? [], counts[kind]];
        if (count === 0) return null;
        return (
          <details>
            <summary>{t(`import.${kind}`, { count })}</summary>
            <Facts
              items={listed.slice(0, maxListed).map(({ key }) => (
                <Key name={key} />
              ))}
            />
            {count > maxListed && <p>{t("changes.and_more", { changes: count - maxListed })}</p>}
          </details>
        );
      })}
    </>
  );
}

async function apply(request: HiveFormRequest): Promise<PageResult> {
  const { storage, branch, session, query, form, hiveLink, param } = request;
  const upload = waitingOf(request);
  if (upload === undefined) return gone(request);
  const { write } = await readyImport(storage, branch, upload);
  const context = { ...request.context, allowFindings: query.checks === "warn" };
  const made = await writeAsPreviewed(write, context, form);
  if ("changed" in made) {
    const { changed } = made;
    const view = await request.runSlowRead((signal) => preview({ ...request, signal }, changed));
    return "body" in view ? { ...view, status: 409 } : view;
  }
  uploadsOf(storage).drop(session.caller, param("upload"));
  const { commit, isUnchanged, waiting } = made.done;
  return isUnchanged === true
    ? { to: hiveLink(["import"]), notice: "already-so" }
    : { to: hiveLink(["history", commit]), notice: "imported", undo: commit, waits: waiting };
}

const path = "/hives/:slug/import";

export const importPages: readonly PageRoute[] = [
  { kind: "hive", path, ability, handler: (request) => show(request) },
  hiveForm(sourceForm, show),
  hiveForm(translationsForm, show),
  {
    kind: "hive",
    path: `${path}/:upload`,
    ability,
    isSlow: true,
    handler: (request) => preview(request),
  },
  { kind: "hive-form", path: `${path}/:upload`, ability, handler: apply },
];
