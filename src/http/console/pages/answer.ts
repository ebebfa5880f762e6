/** Takes the form in which translations are edited, wherever it stood, and goes on from there. */
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { isFileName } from "../../../domain/names.ts";
import type { AnsweredItem, WorkResult } from "../../../domain/work/work.ts";
import { modelNameOf, originOf, suggestedField } from "../../../service/engines/suggested-text.ts";
import { suggest } from "../../../service/engines/suggestions.ts";
import { completeWork } from "../../../service/work/complete-work.ts";
import { check } from "../../schemas/schemas.ts";
import { answerListed } from "./listed.ts";
import { showRefused } from "./string.tsx";
import { listOf } from "./strings.tsx";
import { nameOf, sentForm } from "../editor/editor.tsx";
import { refusedBy } from "../requests/form.ts";
import { lastPlaceCookie } from "../requests/cookies.ts";
import { stringLink, type LinkQuery } from "../requests/links.ts";
import type { HiveFormRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { t, type NoticeName } from "../texts/texts.ts";
import {
  actions,
  answerIn,
  listedChange,
  refusalOf,
  toSeen,
  withTaken,
  writtenIn,
  type Submitted,
} from "../editor/answer-form.ts";
import { filtersOf, translateQuery } from "../desk/queue.tsx";
import { localeOf, showQueue } from "../desk/translate.tsx";

const notices: Readonly<Partial<Record<WorkResult["status"], NoticeName>>> = {
  saved: "written",
  approved: "approved",
  rejected: "rejected",
  confirmed: "confirmed",
  removed: "removed",
  asked: "asked",
  skipped: "skipped",
  unskipped: "unskipped",
};

type Action = ReturnType<typeof actions.parse>;

/** Where a form stood. */
interface Place {
  /** Where one goes on from an answer that was taken. */
  readonly after: (action: Action) => string;
  /** Shows the form again. */
  readonly again: (submitted: Omit<Submitted, "at">) => Promise<View>;
}

function inQueue(request: HiveFormRequest, locale: Locale, at: string): Place {
  const given = check(translateQuery, request.query, "query");
  const to = (own: LinkQuery): string =>
    request.hiveLink(["translate", codeOf(locale)], { ...filtersOf(given), ...own });
  return {
    after: (action) =>
      to(action === "save" || action === "unskip" ? { at, after: given.after } : { after: at }),
    again: (submitted) =>
      request.runSlowRead((signal) => showQueue({ ...request, signal }, { ...submitted, at })),
  };
}

/** @param key of the plural form whose page it was, or row. */
function atString(request: HiveFormRequest, locale: Locale, key: string): Place {
  const { form, hiveLink } = request;
  const file = form.text("file");
  const back = listOf(form.text("back"));
  const to = back === undefined ? stringLink(hiveLink, file, key) : hiveLink(["strings"], back);
  return {
    after: () => to,
    again: (refused) =>
      showRefused(
        request,
        { file, key },
        { locale: codeOf(locale), refused, isDecision: form.all("only").length > 0, back },
      ),
  };
}

/** The form with what an engine suggests: in the fields that nobody has written into, and beside them. */
async function suggestedFor(
  { storage, branch, session, form, signal }: HiveFormRequest,
  locale: Locale,
  { file, key }: { readonly file: string; readonly key: string },
  written: ReturnType<typeof writtenIn>,
): Promise<Omit<Submitted, "at">> {
  const engine = form.text("suggest");
  const asked = { locale: codeOf(locale), file, key, engine, signal };
  const [suggestion] = await suggest(storage, session.caller, branch, asked);
  if (suggestion === undefined || !isFileName(file))
    throw new Error("an engine that was named has an answer");
  const seen = toSeen(form.text("seen"));
  const isOwn = (name: string, text: string): boolean => text !== "" && !seen.isTranslation(name, text);
  const texts = new Map(
    Array.from(written.texts, ([name, text]) => [
      name,
      isOwn(name, text) ? text : (suggestion.forms.get(name) ?? text),
    ]),
  );
  const { forms, findings, error } = suggestion;
  const at = { branch, locale: locale.code, file, key };
  const field = forms.size === 0 ? undefined : await suggestedField(storage, at, suggestion);
  const suggested = { forms, findings, error, model: modelNameOf(suggestion), field };
  return { ...written, texts, suggested, problem: undefined, status: 200 };
}

async function answer(request: HiveFormRequest): Promise<PageResult> {
  const { storage, branch, session, form } = request;
  const { locale } = await localeOf(request);
  const context = { ...request.context, allowFindings: form.text("checks") === "warn" };
  const written = writtenIn(form);
  const at = { file: form.text("file"), key: form.text("key") };
  const origin = isFileName(at.file)
    ? originOf(
        storage,
        { branch, locale: locale.code, file: at.file, key: at.key },
        form.text("suggested"),
        written.texts,
      )
    : undefined;
  const complete = (items: readonly AnsweredItem[]): ReturnType<typeof completeWork> =>
    completeWork(storage, session.caller, branch, { locale: codeOf(locale), items, origin }, context);
  const place =
    "at" in form.values ? atString(request, locale, form.text("at")) : inQueue(request, locale, nameOf(at));
  if (form.text("take") !== "") {
    const texts = withTaken(written.texts, form.text("take"));
    return place.again({ ...written, texts, problem: undefined, status: 200 });
  }
  if (form.text("shape") !== "")
    return place.again({ ...written, isWhole: true, problem: undefined, status: 200 });
  const engine = form.text("ahead");
  if (engine !== "") {
    // The answer is kept for whoever opens the string, who is shown nothing of it now.
    const { signal } = request;
    await suggest(storage, session.caller, branch, { locale: codeOf(locale), ...at, engine, signal });
    return { to: place.after("save") };
  }
  if (form.text("suggest") !== "") return place.again(await suggestedFor(request, locale, at, written));
  const listed = listedChange(form);
  if (listed !== undefined) return answerListed(request, listed, complete);
  const action = check(actions, form.text("change"), "change");
  let completed: Awaited<ReturnType<typeof complete>>;
  try {
    const item = answerIn(form, action, written);
    if ("problem" in item) return await place.again({ ...written, ...item, status: 422 });
    completed = await complete([{ ...at, ...item }]);
  } catch (error) {
    const { state, status } = refusedBy(error, sentForm, form);
    if (!state.problems.has("question") && !state.problems.has("reason")) throw error;
    return place.again({ ...written, state, problem: t("common.nothing_was_saved"), status });
  }
  const {
    result: [result],
    commit,
    isUnchanged,
    waiting = 0,
  } = completed;
  if (result === undefined) throw new Error("there is no result");
  // Another tab may have shown a string again.
  const isShown = action === "unskip" && result.status === "unknown";
  const refused = isShown ? undefined : refusalOf(result, written);
  if (refused !== undefined) return place.again(refused);
  const isInPart = result.status === "saved" && [...written.texts.values()].includes("");
  const isKept = result.status === "saved" || result.status === "confirmed";
  return {
    to: place.after(action),
    cookies: [lastPlaceCookie(request.hive.slug, codeOf(locale), request.isSecure)],
    notice:
      isKept && isUnchanged === true
        ? "already-so"
        : isInPart
          ? "written-in-part"
          : notices[isShown ? "unskipped" : result.status],
    waits: waiting > 0 ? "it" : undefined,
    // A question is answered or changed in the notes.
    undo: isUnchanged === true || result.status === "asked" ? undefined : commit,
  };
}

export const answerPages: readonly PageRoute[] = [
  { kind: "hive-form", path: "/hives/:slug/translate/:locale", ability: "read", handler: answer },
];
