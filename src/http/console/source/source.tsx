/** Pages that add, change, rename and remove a source string, each after a preview of what follows. */
import { z } from "zod";
import { isFailure } from "../../../domain/errors.ts";
import type { SourceConflictStrategy } from "../../../domain/plans/source-import.ts";
import type { SourceEdit } from "../../../domain/plans/source-edit.ts";
import { hiveWriteContext, type CommitResult } from "../../../service/access.ts";
import { hiveOutline, showString, type StringInAllLocales } from "../../../service/content/string-search.ts";
import { editSource } from "../../../service/source/source-edit.ts";
import { once } from "../../../api/objects.ts";
import { check } from "../../schemas/schemas.ts";
import type { FormField } from "../parts/fields.tsx";
import { FoundIn } from "../parts/findings.tsx";
import { hivePage } from "../parts/navigation.tsx";
import { PageForm } from "../parts/page-form.tsx";
import { appliesPreview, planned, Previewed, writeAsPreviewed, type Write } from "../parts/previewed.tsx";
import { Key, Text } from "../parts/text.tsx";
import { useHive } from "../requests/context.tsx";
import { refusedBy, writtenState, type Form, type FormState } from "../requests/form.ts";
import { stringLink } from "../requests/links.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

/** What is done to a source string that is there. */
const sourceChanges = ["change", "move", "remove"] as const;
const kinds = ["add", ...sourceChanges] as const;
type Kind = (typeof kinds)[number];

/** Their addresses below the Hive, which also identify their forms. */
const paths = {
  add: "source/add",
  change: "source/change",
  move: "source/move",
  remove: "source/remove",
} as const satisfies Readonly<Record<Kind, string>>;

const strategies = z.enum(["keep", "clear"], "must be keep or clear");
const place = z.strictObject({ file: once, key: once });

/** Before the key in the names of fields of texts. */
const textField = "text.";

/** Leads from a string to what can be done to its source. */
export function SourceActions({ string }: { string: StringInAllLocales }) {
  const { hiveLink } = useHive();
  const { file, key, forms } = string;
  // A form that only translations have is no string of the source.
  const own = forms.find((form) => form.key === key);
  if (own?.isOfSource === false) return null;
  return (
    <p class="actions">
      {sourceChanges.map((kind) => (
        <a href={hiveLink(["source", kind], { file, key })}>{t(`source.title_${kind}`)}</a>
      ))}
    </p>
  );
}

/** The string that a page is about, and the files of the Hive. */
interface Shown {
  readonly kind: Kind;
  readonly file: string;
  readonly key: string;
  readonly files: readonly string[];
  /** The forms of its plural, or it alone; none for a new string. */
  readonly strings: readonly StringInAllLocales[];
}

/** What was sent, and what came of it. */
interface Sent {
  readonly state?: FormState;
  /** What it would do. */
  readonly plan?: CommitResult<unknown>;
  /** Whether that is something else than when it was applied. */
  readonly isChanged?: boolean;
  /** What checks refuse it for. */
  readonly refusal?: Parameters<typeof FoundIn>[0]["findings"];
}

async function shownAt(
  { storage, branch }: HiveRequest,
  { kind, file, key }: Pick<Shown, "kind" | "file" | "key">,
): Promise<Shown> {
  const { files } = await hiveOutline(storage, branch);
  if (kind === "add") return { kind, file, key, files, strings: [] };
  const string = await showString(storage, branch, { file, key });
  const forms = string.forms.filter(({ isOfSource }) => isOfSource);
  const strings = await Promise.all(
    forms.map(async (form) =>
      form.key === key ? string : showString(storage, branch, { file, key: form.key }),
    ),
  );
  return { kind, file, key, files, strings: strings.length === 0 ? [string] : strings };
}

function fieldsOf({ kind, file, key, files, strings }: Shown): readonly FormField[] {
  if (kind === "remove") return [];
  if (kind === "change")
    return [
      ...strings.map(({ key: own, source, forms }): FormField => {
        const category = forms.find((form) => form.key === own)?.category;
        const label = t("source.text") + (category === undefined ? "" : ` (${category})`);
        return { kind: "area", name: textField + own, label, value: source, rows: 3 };
      }),
      { kind: "one", name: "conflict_strategy", options: ["keep", "clear"] },
    ];
  const where: readonly FormField[] = [
    { name: "file", value: file, options: files, required: true, isFocused: kind === "add" && file === "" },
    { name: "key", value: key, required: true, isFocused: kind === "move" || file !== "" },
  ];
  return kind === "move"
    ? where
    : [...where, { kind: "area", name: "text", label: t("source.text"), rows: 3, required: true }];
}

/** What a form asks for. @throws SkepError `invalid`. */
function editIn(kind: Kind, form: Form): SourceEdit {
  const [file, key] = [form.text("file"), form.text("key")];
  if (kind === "remove") return { kind, file, key };
  if (kind === "move")
    return { kind, from: { file: form.text("from_file"), key: form.text("from_key") }, to: { file, key } };
  if (kind === "add") return { kind, file, key, text: form.text("text") };
  const named = Object.keys(form.values).filter((name) => name.startsWith(textField));
  const texts = new Map(named.map((name) => [name.slice(textField.length), form.text(name)]));
  const conflictStrategy: SourceConflictStrategy = check(
    strategies,
    form.text("conflict_strategy"),
    "conflict_strategy",
  );
  return { kind, file, texts, conflictStrategy };
}

async function show(request: HiveRequest, shown: Shown, sent: Sent = {}): Promise<View> {
  const { hiveLink, hive } = request;
  const { kind, file, key, strings } = shown;
  const { state, plan, refusal, isChanged } = sent;
  const path = paths[kind];
  const hidden = hiddenOf(shown);
  const allows: readonly FormField[] =
    refusal === undefined || hive.checks === "strict"
      ? []
      : [{ kind: "switch", name: "checks", label: t("work-form.save_although_it_would_break") }];
  const fields = [...fieldsOf(shown), ...allows];
  const string = { label: key === "" ? t("string.empty_key") : key, href: stringLink(hiveLink, file, key) };
  return hivePage(
    request,
    "Strings",
    <>
      {kind !== "add" && <About strings={strings} isText={kind !== "change"} />}
      {refusal !== undefined && (
        <>
          <p class="notice wrong">
            {t("common.nothing_was_saved_because", { reason: t("common.the_text_would_break") })}
          </p>
          <FoundIn findings={refusal} isOpen />
        </>
      )}
      {fields.length > 0 && (
        <PageForm
          of={{ path, button: "replace.preview" }}
          submitted={state}
          fields={fields}
          hidden={hidden}
          isLess={plan !== undefined}
        />
      )}
      {plan !== undefined && (
        <Previewed
          to={hiveLink(path.split("/"))}
          planned={plan}
          values={{ ...state?.values, ...hidden }}
          button={t(`source.do_${kind}`)}
          isChanged={isChanged}
        />
      )}
    </>,
    {
      title: t(`source.title_${kind}`),
      between: [
        { label: t("common.strings"), href: hiveLink(["strings"], { file }) },
        ...(kind === "add" ? [] : [string]),
      ],
    },
  );
}

/** The fields that name the string. */
function hiddenOf({ kind, file, key }: Shown): Readonly<Record<string, string>> {
  if (kind === "add") return {};
  return kind === "move" ? { from_file: file, from_key: key } : { file, key };
}

/** The string, and how many translations it has. */
function About({ strings, isText }: { strings: readonly StringInAllLocales[]; isText: boolean }) {
  const { hiveLink } = useHive();
  const translations = strings.flatMap((string) => string.translations);
  const count = translations.filter(({ translation }) => translation.text !== undefined).length;
  const said = <p class="soft">{t("source.translations", { count })}</p>;
  if (!isText) return said;
  return (
    <div class="panel">
      {strings.map(({ file, key, source, settings }) => (
        <p>
          <Key name={key} href={stringLink(hiveLink, file, key)} />{" "}
          <Text text={source} lang={settings.sourceLocale.code} />
        </p>
      ))}
      {said}
    </div>
  );
}

async function open(request: HiveRequest, kind: Kind): Promise<View> {
  const { storage, branch, hive, query } = request;
  const { file = "", key: named = "" } = check(place, query, "query");
  const shown = await shownAt(request, { kind, file, key: named });
  if (kind !== "remove") return show(request, shown);
  // Nothing has to be filled in.
  const edit: SourceEdit = { kind, file, key: named };
  const write: Write = (context) => editSource(storage, branch, edit, context);
  return show(request, shown, { plan: await planned(write, hiveWriteContext(storage, hive)) });
}

/** Previews an edit, or makes it as it was previewed. */
async function send(request: HiveFormRequest, kind: Kind): Promise<PageResult> {
  const { storage, branch, form, hiveLink } = request;
  const state = writtenState(paths[kind], form);
  const context = { ...request.context, allowFindings: form.text("checks") !== "" };
  const from = kind === "move" ? "from_" : "";
  const at = { kind, file: form.text(`${from}file`), key: form.text(`${from}key`) };
  const again = (sent: Sent, status: number): Promise<View> =>
    request.runSlowRead(async (signal) => ({
      ...(await show({ ...request, signal }, await shownAt(request, at), { state, ...sent })),
      status,
    }));
  let made: Awaited<ReturnType<typeof writeAsPreviewed>> | undefined;
  let plan: Sent["plan"];
  try {
    const edit = editIn(kind, form);
    const write: Write = (given) => editSource(storage, branch, edit, given);
    if (appliesPreview(form)) made = await writeAsPreviewed(write, context, form);
    else plan = await planned(write, context);
  } catch (error) {
    if (isFailure(error, "check-failed")) {
      const { findings: listed, total } = error.data;
      return again({ refusal: { listed, total } }, 422);
    }
    const { state: refused, status } = refusedBy(error, state.form, form);
    return again({ state: { ...refused, problems: problemsOfMoves(refused.problems) } }, status);
  }
  if (made === undefined) return again({ plan }, 200);
  if ("changed" in made) return again({ plan: made.changed, isChanged: true }, 409);
  const { commit, isUnchanged } = made.done;
  const to =
    kind === "remove" ? hiveLink(["strings"]) : stringLink(hiveLink, form.text("file"), form.text("key"));
  if (isUnchanged === true) return { to, notice: "already-so" };
  return { to, notice: kind === "remove" ? "removed" : "written", undo: commit };
}

/** What is wrong with a move, at the fields of its new place. */
function problemsOfMoves(problems: FormState["problems"]): FormState["problems"] {
  return new Map(
    Array.from(problems, ([field, problem]) => {
      const [, member] = /^moves\[\d+\]\.to(?:\.(file|key))?$/.exec(field) ?? [field, field];
      return [member ?? "key", problem];
    }),
  );
}

export const sourcePages: readonly PageRoute[] = kinds.flatMap((kind): PageRoute[] => {
  const path = `/hives/:slug/${paths[kind]}`;
  return [
    { kind: "hive", path, ability: "write", isSlow: true, handler: (request) => open(request, kind) },
    { kind: "hive-form", path, ability: "write", handler: (request) => send(request, kind) },
  ];
});
