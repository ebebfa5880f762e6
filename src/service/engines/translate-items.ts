/** Has an engine translate strings: with all that is known of them, or with their code behind marks. */
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import type { Engine } from "../../domain/engines/engine.ts";
import { markedText, type MarkedText } from "../../domain/engines/marked-text.ts";
import type { SyntaxName } from "../../domain/checks/syntax-names.ts";
import type { TeamName } from "../../domain/names.ts";
import { isStepDone, pause } from "../../slices.ts";
import type { EngineKind, InstructedItem } from "./engine-kind.ts";
import { EngineFailure } from "./engine-request.ts";
import { askEngine, engineKinds, type EngineParts, type EngineUseRequest } from "./engine-kinds.ts";

/** A text that an engine is to translate. */
export interface EngineForm {
  readonly form: string;
  readonly source: string;
  readonly example: number | undefined;
  /** Whether the source has the form itself: only an engine that takes instructions can make the others. */
  readonly isOwn: boolean;
}

/** A string that an engine is to translate. */
export interface EngineItem {
  readonly syntax: SyntaxName;
  readonly forms: readonly EngineForm[];
  /** What an engine that takes instructions is told beside the texts, as JSON. */
  readonly context: Readonly<Record<string, unknown>>;
}

export interface EngineWork {
  readonly team: TeamName;
  readonly engine: Engine;
  readonly locale: Locale;
  readonly sourceLocale: Locale;
  /** How to write in the locale; empty where nobody has said that. */
  readonly style: string;
  readonly signal: AbortSignal;
  /** How long one request may take. */
  readonly timeoutMs: number;
  /** See {@link EngineUseRequest.isTrial}. */
  readonly isTrial?: boolean;
}

export interface EngineTranslations {
  /** For each item in the order of the request, its texts by form; those that an engine could not make are missing. */
  readonly texts: readonly ReadonlyMap<string, string>[];
  /** As the engine names it. */
  readonly model: string | undefined;
  /** Characters of source texts that were sent. */
  readonly characters: number;
  readonly tokens: number;
}

/** How many characters of source texts strings have. */
export function charactersOf(
  items: readonly { readonly forms: readonly Pick<EngineForm, "source">[] }[],
): number {
  return items.flatMap(({ forms }) => forms).reduce((sum, { source }) => sum + source.length, 0);
}

/**
 * Translates strings.
 * @throws SkepError `engine-failed`; the reason of the signal where that was aborted.
 */
export function translateItems(
  storage: EngineParts,
  work: EngineWork,
  items: readonly EngineItem[],
): Promise<EngineTranslations> {
  const kind: EngineKind = engineKinds[work.engine.type];
  return "translateItems" in kind
    ? withInstructions(storage, work, items, kind.translateItems)
    : behindMarks(storage, work, items, kind.translateTexts);
}

function requestOf(
  { team, engine, locale, sourceLocale, signal, timeoutMs, isTrial }: EngineWork,
  characters: number,
): EngineUseRequest {
  return { team, engine, from: sourceLocale.code, to: locale.code, signal, timeoutMs, characters, isTrial };
}

async function withInstructions(
  storage: EngineParts,
  work: EngineWork,
  items: readonly EngineItem[],
  translate: Extract<EngineKind, { translateItems: unknown }>["translateItems"],
): Promise<EngineTranslations> {
  const characters = charactersOf(items);
  if (characters === 0) return { texts: items.map(() => new Map()), model: undefined, characters, tokens: 0 };
  const request = {
    locale: codeOf(work.locale),
    source_locale: codeOf(work.sourceLocale),
    style: work.style,
    items: items.map(({ syntax, forms, context }, i): InstructedItem => ({
      ...context,
      id: i + 1,
      syntax,
      forms: forms.map(({ form, source, example }) => ({
        form,
        source,
        ...(example !== undefined && { example }),
      })),
    })),
  };
  const answer = await askEngine(storage, requestOf(work, characters), (call) => translate(call, request));
  const texts = items.map(({ forms }, i) => {
    const given = answer.items.get(i + 1);
    return new Map(
      forms.flatMap(({ form }): (readonly [string, string])[] => {
        const text = given?.get(form);
        return text === undefined || text === "" ? [] : [[form, text]];
      }),
    );
  });
  return { texts, model: answer.model, characters, tokens: answer.tokens };
}

/** How many texts one request has, and how many characters: services take as many. */
const maxTexts = 50;
const maxCharacters = 20_000;

async function behindMarks(
  storage: EngineParts,
  work: EngineWork,
  items: readonly EngineItem[],
  translate: Extract<EngineKind, { translateTexts: unknown }>["translateTexts"],
): Promise<EngineTranslations> {
  const marked: (readonly [form: string, text: MarkedText])[][] = [];
  const wanted = new Set<string>();
  for (const { syntax, forms } of items) {
    if (isStepDone()) await pause();
    const own = forms.flatMap(({ form, source, isOwn }) => {
      const text = isOwn ? markedText(syntax, source) : undefined;
      // A text without prose stays as it is: it has no parts.
      return text === undefined ? [] : [[form, text] as const];
    });
    for (const [, { parts }] of own) for (const part of parts) wanted.add(part);
    marked.push(own);
  }
  const translated = new Map<string, string>();
  let [tokens, characters] = [0, 0];
  let model: string | undefined;
  for (const texts of inRequests([...wanted])) {
    const count = texts.reduce((sum, text) => sum + text.length, 0);
    const answer = await askEngine(storage, requestOf(work, count), async (call) => {
      const given = await translate(call, texts);
      if (given.texts.length === texts.length) return given;
      throw new EngineFailure({ kind: "down", error: "it answered with other texts than it was sent" });
    });
    for (const [i, text] of texts.entries()) translated.set(text, answer.texts[i] ?? "");
    [tokens, characters, model] = [tokens + answer.tokens, characters + count, answer.model];
  }
  const texts = marked.map(
    (own) =>
      new Map(
        own.flatMap(([form, { parts, join }]): (readonly [string, string])[] => {
          const text = join(parts.map((part) => translated.get(part) ?? ""));
          return text === undefined ? [] : [[form, text]];
        }),
      ),
  );
  return { texts, model, characters, tokens };
}

/** Texts as they are sent: as many at once as services take. */
function inRequests(texts: readonly string[]): readonly (readonly string[])[] {
  const requests: string[][] = [];
  let length = Infinity;
  for (const text of texts) {
    const last = requests.at(-1);
    if (last === undefined || last.length === maxTexts || length + text.length > maxCharacters) {
      requests.push([text]);
      length = text.length;
    } else {
      last.push(text);
      length += text.length;
    }
  }
  return requests;
}
