/** Checks the texts that a write adds or changes: imports, edits, merges, pushes and all others. */
import { defaultChecks, formatOf, proposedRules, syntaxOf } from "../../domain/checks/check-settings.ts";
import type { ChangeMetadata, CommitMetadata } from "../../domain/commits/commit-message.ts";
import { failure, SkepError, type TextFault } from "../../domain/errors.ts";
import { maxRules } from "../../domain/files/file-rules.ts";
import { shownCodes, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { TermIndex } from "../../domain/glossary/term-index.ts";
import { noteRulesOf } from "../../domain/notes/note-tags.ts";
import { AddressMap, type Move } from "../../domain/move.ts";
import type { FileName } from "../../domain/names.ts";
import {
  faultyChanges,
  FileChecker,
  type CheckedTexts,
  type LocatedFinding,
} from "../../domain/plans/check-content.ts";
import { type HiveContent, type KeyChange, sourceWrites } from "../../domain/strings/hive-content.ts";
import { translatableTexts, type StringFile } from "../../domain/strings/string-file.ts";
import { counted } from "../../domain/text.ts";
import { formatRulesOf } from "../../formats/held/format-rules.ts";
import { isStepDone, pause } from "../../slices.ts";
import { acceptedIn } from "../content/accepted-findings.ts";
import type { Snapshot } from "../content/snapshot.ts";
import type { HiveChange } from "./hive-commit.ts";
import type { WriteContext, WriteFindings, WritePlan } from "./write-context.ts";
import { acceptedKind } from "../../domain/sidecars/accepted.ts";
import { writesOf } from "../../domain/sidecars/sidecar.ts";

/** How many findings are listed; all are counted. */
const maxListed = 100;

/**
 * Checks a planned write.
 * @param beside.main the Hive's main, for a write to another branch: faults that main has are not new.
 * @param beside.terms the terms that translations must use.
 * @returns undefined where nothing was found, or checks are off.
 * @throws SkepError `forbidden` for a caller who asks to let findings pass and may not; `check-failed` where errors were
 * found, the Hive refuses them, and the caller does not let them pass.
 */
export async function checkWrite(
  snapshot: Snapshot,
  { change, changes: planned = [], moves = [] }: Pick<WritePlan<unknown>, "change" | "changes" | "moves">,
  { allowFindings = false, caller }: Pick<WriteContext, "allowFindings" | "caller">,
  beside: {
    readonly main?: () => Promise<Snapshot>;
    readonly terms?: () => Promise<TermIndex | undefined>;
  } = {},
): Promise<WriteFindings | undefined> {
  if (allowFindings && caller.checks === "strict") {
    throw failure("forbidden", "This token is strict about checks: it may not send checks=warn.", {
      publicCode: "limited_token",
    });
  }
  const { index } = snapshot;
  const { settings = snapshot.settings } = change ?? {};
  const { level } = settings.checks ?? defaultChecks;
  if (level === "off" || planned.length + moves.length === 0) return undefined;
  const written = sourceWrites(settings, change?.writes ?? []);
  const sourceOf = (file: FileName): StringFile | undefined =>
    written.has(file) ? written.get(file) : index.source.get(file);
  // A sync is never refused because of translations that it does not write.
  const checkedMoves = change?.metadata.operation === "sync" ? [] : moves;
  const moved = await inOtherFiles(snapshot, { moves: checkedMoves, planned, settings, sourceOf });
  const changes = [...planned, ...moved];
  if (changes.length === 0) return undefined;
  const terms = await beside.terms?.();
  const noteRules = noteRulesOf((await snapshot.values.notes.readable()).files);
  const checkerOf = (file: FileName): FileChecker =>
    new FileChecker({ settings, rulesOf: formatRulesOf, terms, noteRules }, file, sourceOf(file));
  const faulty = await faultyChanges(changes, checkerOf);
  if (faulty.length === 0) return undefined;
  const locales = new Set(faulty.map(({ locale }) => locale));
  const accepted = await snapshot.values.accepted.read([...locales]);
  const isAccepted = acceptedIn(accepted, writesOf(change?.values ?? [], acceptedKind));
  const inMain = await (await beside.main?.())?.content([...locales]);
  const findings = new FindingList(settings);
  const errors = new FindingList(settings);
  for (const each of faulty) {
    if (isStepDone()) await pause();
    checkerOf(each.file).check(each, each.after ?? "", (found, texts) => {
      if (isAccepted(found, texts) || (inMain && isIn(inMain, found, texts))) return;
      findings.add(found);
      if (found.severity === "error") errors.add(found);
    });
  }
  if (level === "refuse" && !allowFindings) refuse(errors);
  return findings.total === 0 ? undefined : findings;
}

/** The texts that a write moves to files of another syntax or format: what was right there may be wrong here. */
async function inOtherFiles(
  snapshot: Snapshot,
  write: {
    readonly moves: readonly Move[];
    readonly planned: readonly KeyChange[];
    readonly settings: HiveSettings;
    readonly sourceOf: (file: FileName) => StringFile | undefined;
  },
): Promise<readonly KeyChange[]> {
  const { settings, planned, sourceOf } = write;
  const moves = write.moves.filter(({ from, to }) => {
    if (from.file === to.file) return false;
    const [before, after] = [snapshot.index.source.get(from.file), sourceOf(to.file)];
    const checks = settings.checks ?? defaultChecks;
    if (before === undefined || after === undefined) return false;
    return (
      syntaxOf(checks, from.file, before) !== syntaxOf(checks, to.file, after) ||
      formatRulesOf(from.file, formatOf(checks, from.file, before)) !==
        formatRulesOf(to.file, formatOf(checks, to.file, after))
    );
  });
  if (moves.length === 0) return [];
  const isPlanned = new AddressMap<Set<LocaleCode>>();
  for (const each of planned) {
    const locales = isPlanned.get(each) ?? new Set();
    isPlanned.set(each, locales.add(each.locale));
  }
  const { source, translations } = await snapshot.content("all");
  const code = settings.sourceLocale.code;
  return moves.flatMap(({ from, to }) => {
    const texts = [
      [code, source.get(from.file)?.texts.get(from.key)] as const,
      ...Array.from(
        translations,
        ([locale, files]) => [locale, files.get(from.file)?.get(from.key)] as const,
      ),
    ];
    return texts.flatMap(([locale, after]): KeyChange[] =>
      after === undefined || isPlanned.get(to)?.has(locale) === true
        ? []
        : [{ ...to, locale, change: "created", after }],
    );
  });
}

/** All findings counted, and the first of them listed. */
class FindingList implements WriteFindings {
  readonly listed: TextFault[] = [];
  total = 0;
  readonly #shown: (code: LocaleCode) => string;

  constructor(settings: HiveSettings) {
    this.#shown = shownCodes(settings);
  }

  add(found: LocatedFinding): void {
    if (++this.total <= maxListed) this.listed.push({ ...found, locale: this.#shown(found.locale) });
  }
}

/**
 * Records the detected syntax of source files in the settings of a change, where no rule names it, so that the syntax stays
 * when texts change. The commit that brings the files records it, so that there is never one without the other.
 */
export function withRecordedSyntax<Metadata>(
  { settings }: Pick<Snapshot, "settings">,
  change: HiveChange<Metadata>,
): HiveChange<Metadata> {
  const files = new Map<FileName, StringFile>();
  for (const [file, content] of sourceWrites(settings, change.writes ?? [])) {
    if (content !== undefined) files.set(file, content);
  }
  const checks = settings.checks ?? defaultChecks;
  const rules = [...proposedRules(checks, files), ...checks.syntax];
  const isSame = rules.length === checks.syntax.length || rules.length > maxRules;
  if (isSame || change.settings !== undefined) return change;
  return { ...change, settings: { ...settings, checks: { ...checks, syntax: rules } } };
}

/** Whether content has the same text for the same source text: then its faults are not new. */
function isIn(
  { settings, source, translations }: HiveContent,
  { locale, file, key }: LocatedFinding,
  texts: CheckedTexts,
): boolean {
  if (translatableTexts(source.get(file)).get(key) !== texts.source) return false;
  const isSource = locale === settings.sourceLocale.code;
  return isSource || translations.get(locale)?.get(file)?.get(key) === texts.translation;
}

/** @throws SkepError `check-failed` if there are any errors; its message is the first one. */
function refuse({ listed, total }: WriteFindings): void {
  const [first] = listed;
  if (first === undefined) return;
  const more = total > 1 ? ` (and ${counted(total - 1, "more finding")})` : "";
  const message = `${first.locale}, ${first.file}, ${first.key}: ${first.message}${more}`;
  throw new SkepError("check-failed", message, { findings: listed, total });
}

/** The metadata of a write's commit; it says how many findings the caller let through. */
export function checkedMetadata(
  { metadata, idempotency, allowFindings }: WriteContext,
  planned: ChangeMetadata,
  findings: WriteFindings | undefined,
): CommitMetadata {
  const letThrough = allowFindings === true && findings !== undefined;
  const counts = letThrough ? { ...planned.counts, findingsTotal: findings.total } : planned.counts;
  return { ...metadata, ...planned, counts, idempotency };
}
