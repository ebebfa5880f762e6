/** A Hive with its markers, and random changes of it, for tests of the domain. */
import fc from "fast-check";
import type { FileWrite, HiveContent, KeyChange, Plan } from "../../src/domain/strings/hive-content.ts";
import { toLocale } from "../../src/domain/hives/locale.ts";
import { storedPath, type FileName } from "../../src/domain/names.ts";
import type { Move } from "../../src/domain/move.ts";
import type { SideMoves } from "../../src/domain/moves/alignment.ts";
import type { UndoPlan } from "../../src/domain/plans/undo.ts";
import type { ContentWithMarkers, TranslatedFrom } from "../../src/domain/strings/stale.ts";
import { staleKind, type StaleMarkers } from "../../src/domain/sidecars/stale.ts";
import {
  isList,
  translatableTexts,
  type Group,
  type StringFile,
  type Texts,
  formatGroup,
} from "../../src/domain/strings/string-file.ts";
import { fileName, stringFile, text } from "./arbitraries.ts";
import { applied, contentOf, hiveOf } from "./hive.ts";
import { countingIn, updateStaleMarkers } from "../../src/domain/strings/stale.ts";
import { planSourceImport } from "../../src/domain/plans/source-import.ts";
import { planUndo } from "../../src/domain/plans/undo.ts";
import { planTranslationImport } from "../../src/domain/plans/translation-import.ts";
import { moveContent } from "./domain.ts";
import { type ValueWrite, withValueWrites, valuesPath } from "../../src/domain/sidecars/sidecar.ts";

export interface State {
  readonly hive: HiveContent;
  readonly markers: StaleMarkers;
  /** The blobs below `locales/` and `stale/` by their paths, as every write so far has left them. */
  readonly blobs: ReadonlyMap<string, string>;
}

export const emptyState: State = {
  hive: hiveOf({ locales: ["fr", "ru"] }),
  markers: new Map(),
  blobs: new Map(),
};

function writeBlobs(blobs: Map<string, string>, writes: readonly FileWrite[]): void {
  for (const { locale, file, content } of writes) {
    const path = `locales/${locale}/${storedPath(file)}`;
    if (content === undefined) blobs.delete(path);
    else blobs.set(path, formatGroup(content.group));
  }
}

function writeMarkers(blobs: Map<string, string>, writes: readonly ValueWrite<string>[]): void {
  for (const { kind, locale, file, values } of writes) {
    const path = valuesPath(kind, locale, file);
    if (values.size === 0) blobs.delete(path);
    else blobs.set(path, JSON.stringify(Object.fromEntries([...values].toSorted())));
  }
}

/** What a plan makes of a state. */
export async function followed(
  state: State,
  plan: Plan<unknown>,
  translatedFrom?: TranslatedFrom,
): Promise<State> {
  const markerWrites = await updateStaleMarkers(state.hive, state.markers, plan, translatedFrom);
  return written(state, plan, markerWrites);
}

/** What moves make of a state. */
export async function moved(
  state: State,
  moves: readonly Move[],
): Promise<State & { readonly lost: readonly KeyChange[] }> {
  const { writes, staleMarkers, lost } = await moveContent(state.hive, moves, state.markers);
  return { ...written(state, { counts: undefined, writes, changes: lost }, staleMarkers), lost };
}

/** The undo of what made one state from another. */
export async function undoing(
  { now, before, after }: Readonly<Record<"now" | "before" | "after", State>>,
  moves?: SideMoves,
): Promise<{ readonly plan: UndoPlan; readonly undone: State }> {
  const plan = await planUndo({ ours: marked(now), base: marked(after), theirs: marked(before), moves });
  return { plan, undone: written(now, plan, plan.staleMarkers) };
}

/** The content of a state with its markers. */
export const marked = ({ hive, markers }: State): ContentWithMarkers => ({ content: hive, markers });

/** What a plan and its writes of stale markers make of a state. */
export function written(
  { hive, markers, ...rest }: State,
  plan: Plan<unknown>,
  markerWrites: readonly ValueWrite<string>[],
): State {
  const blobs = new Map(rest.blobs);
  writeBlobs(blobs, plan.writes);
  writeMarkers(blobs, markerWrites);
  return { hive: applied(hive, plan), markers: withValueWrites(markers, markerWrites), blobs };
}

/** The stale translations as `locale file key` → the source text that they were made for. */
export function staleIn({ hive, markers }: State): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { code } of hive.settings.targetLocales) {
    for (const [file, values] of markers.get(code) ?? []) {
      for (const key of countingIn(staleKind, hive, { locale: code, file }, values).keys())
        found[`${code} ${file} ${key}`] = values.get(key) ?? "";
    }
  }
  return found;
}

/** A change of a Hive, ready to be planned. */
export type Change =
  | {
      readonly kind: "source";
      readonly mode: "import" | "sync";
      readonly clear: boolean;
      readonly files: ReadonlyMap<FileName, StringFile>;
    }
  | {
      readonly kind: "translations";
      readonly locale: string;
      readonly overwrite: boolean;
      /** Which of the Hive's keys get a text, by a number for each key in turn. */
      readonly picks: readonly number[];
      readonly texts: readonly string[];
    }
  | {
      /** A sync of the Hive's own files in another order, with or without empty groups, and a text more. */
      readonly kind: "reshape";
      /** What is done to each file in turn. */
      readonly turns: readonly ("keep" | "reverse" | "empty-group" | "flatten")[];
      readonly also: string | undefined;
    };

const sourceChange: fc.Arbitrary<Change> = fc.record({
  kind: fc.constant("source" as const),
  mode: fc.constantFrom("import" as const, "sync" as const),
  clear: fc.boolean(),
  files: fc.array(fc.tuple(fileName, stringFile), { maxLength: 3 }).map((files) => new Map(files)),
});

const translations: fc.Arbitrary<Change> = fc.record({
  kind: fc.constant("translations" as const),
  locale: fc.constantFrom("fr", "ru"),
  overwrite: fc.boolean(),
  picks: fc.array(fc.nat(3), { minLength: 1, maxLength: 6 }),
  texts: fc.array(
    text.filter((some) => some !== ""),
    { minLength: 1, maxLength: 4 },
  ),
});

const reshape: fc.Arbitrary<Change> = fc.record({
  kind: fc.constant("reshape" as const),
  turns: fc.array(fc.constantFrom("keep", "reverse", "empty-group", "flatten"), {
    minLength: 1,
    maxLength: 4,
  }),
  also: fc.option(text, { nil: undefined }),
});

export const change: fc.Arbitrary<Change> = fc.oneof(sourceChange, translations, reshape);

function reshaped({ group, texts }: StringFile, turn: string | undefined): Group {
  if (turn === "flatten") return Object.fromEntries(texts);
  if (isList(group) || turn === "keep") return group;
  const members = Object.entries(group);
  if (turn === "reverse") return Object.fromEntries(members.toReversed());
  return { ...group, [`empty ${members.length}`]: [] };
}

/** The plan of a change. */
export async function planOf({ hive }: State, one: Change): Promise<Plan<unknown>> {
  if (one.kind === "source") {
    const { files, mode, clear } = one;
    return planSourceImport(hive, { files, mode, conflictStrategy: clear ? "clear" : "keep" });
  }
  let at = 0;
  if (one.kind === "reshape") {
    const files = Array.from(hive.source, ([file, content]): [FileName, StringFile] => {
      const group = reshaped(content, one.turns[at % one.turns.length]);
      const isLast = ++at === hive.source.size && one.also !== undefined && !isList(group);
      return [file, contentOf(isLast ? { ...group, also: one.also } : group)];
    });
    return planSourceImport(hive, { files: new Map(files), mode: "sync", conflictStrategy: "keep" });
  }
  const files = Array.from(hive.source, ([file, source]): [string, Texts] => {
    const picked = [...translatableTexts(source).keys()].flatMap((key): [string, string][] => {
      at++;
      const some = one.texts[at % one.texts.length];
      return one.picks[at % one.picks.length] === 0 || some === undefined ? [] : [[key, some]];
    });
    return [file, new Map(picked)];
  });
  return planTranslationImport(hive, {
    locale: toLocale(one.locale),
    files: new Map(files),
    overwriteStrategy: one.overwrite ? "overwrite" : "skip",
  });
}

/** The state that some changes lead to. */
export async function stateAfter(changes: readonly Change[], from?: State): Promise<State> {
  return (await statesOf(changes, from)).at(-1) ?? emptyState;
}

/** The states that some changes lead through, the first one too. */
export async function statesOf(
  changes: readonly Change[],
  from: State = emptyState,
): Promise<readonly State[]> {
  const states = [from];
  let state = from;
  for (const one of changes) {
    state = await followed(state, await planOf(state, one));
    states.push(state);
  }
  return states;
}
