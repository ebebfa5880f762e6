/** Checks the texts that a write adds or changes, whoever sends it. */
import { defaultChecks, maxRules, proposedRules } from "../../domain/checks/check-settings.ts";
import type { ChangeMetadata, CommitMetadata } from "../../domain/commits/commit-message.ts";
import { failure, SkepError, type TextFault } from "../../domain/errors.ts";
import { shownCodes, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { TermIndex } from "../../domain/glossary/term-index.ts";
import { limitsOf } from "../../domain/notes/length.ts";
import type { FileName } from "../../domain/names.ts";
import {
  faultyChanges,
  FileChecker,
  type CheckedTexts,
  type LocatedFinding,
} from "../../domain/plans/check-content.ts";
import type { HiveContent } from "../../domain/strings/hive-content.ts";
import { translatableTexts, type StringFile } from "../../domain/strings/string-file.ts";
import { isStepDone, type Steps } from "../../domain/steps.ts";
import { counted } from "../../domain/text.ts";
import { inSlices } from "../../slices.ts";
import { acceptedIn } from "../content/accepted-findings.ts";
import type { Snapshot } from "../content/snapshot.ts";
import type { HiveChange } from "./hive-commit.ts";
import type { WriteContext } from "./write-context.ts";
import type { WriteFindings, WritePlan } from "./write-plan.ts";

/** How many findings are listed; all are counted. */
const maxListed = 100;

/**
 * Checks a planned write.
 * @param beside.main the Hive's main, where the write is one of another branch: faults that are there are no new ones.
 * @param beside.terms the terms that translations are to have.
 * @returns undefined where nothing was found, or nothing is checked.
 * @throws SkepError `forbidden` for a caller who may not let findings pass, and asks for it; `check-failed` where errors were found, the Hive refuses them, and the caller does not let them pass.
 */
export async function checkWrite(
  snapshot: Snapshot,
  { change, changes = [] }: Pick<WritePlan<unknown>, "change" | "changes">,
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
  if (level === "off" || changes.length === 0) return undefined;
  const written = new Map<FileName, StringFile | undefined>();
  for (const { locale, file, content } of change?.writes ?? []) {
    if (locale === settings.sourceLocale.code) written.set(file, content);
  }
  const terms = await beside.terms?.();
  const limits = limitsOf((await snapshot.notes.readable()).notes);
  const checkerOf = (file: FileName): FileChecker =>
    new FileChecker(
      { settings, terms, limits },
      file,
      written.has(file) ? written.get(file) : index.source.get(file),
    );
  const faulty = await inSlices(faultyChanges(changes, checkerOf));
  if (faulty.length === 0) return undefined;
  const locales = new Set(faulty.map(({ locale }) => locale));
  const isAccepted = await acceptedIn(snapshot, locales, change?.accepted);
  const inMain = await (await beside.main?.())?.content([...locales]);
  const findings = new FindingList(settings);
  const errors = new FindingList(settings);
  function* listNew(): Steps<void> {
    for (const each of faulty) {
      if (isStepDone()) yield;
      checkerOf(each.file).check(each, each.after ?? "", (found, texts) => {
        if (isAccepted(found, texts) || (inMain && isIn(inMain, found, texts))) return;
        findings.add(found);
        if (found.severity === "error") errors.add(found);
      });
    }
  }
  await inSlices(listNew());
  if (level === "refuse" && !allowFindings) refuse(errors);
  return findings.total === 0 ? undefined : findings;
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
 * A change with the syntax of its source files recorded in the settings, where no rule says it: so it stays as it is when
 * texts change. It is a part of the commit that brings the files, so that there is never the one without the other.
 */
export function withRecordedSyntax<Metadata>(
  { settings }: Pick<Snapshot, "settings">,
  change: HiveChange<Metadata>,
): HiveChange<Metadata> {
  const files = new Map<FileName, StringFile>();
  for (const { locale, file, content } of change.writes ?? []) {
    if (locale === settings.sourceLocale.code && content !== undefined) files.set(file, content);
  }
  const checks = settings.checks ?? defaultChecks;
  const rules = [...proposedRules(checks, files), ...checks.syntax];
  const isSame = rules.length === checks.syntax.length || rules.length > maxRules;
  if (isSame || change.settings !== undefined) return change;
  return { ...change, settings: { ...settings, checks: { ...checks, syntax: rules } } };
}

/** Whether content has a text with its source text: what is wrong with it was there before. */
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
  const counts = letThrough ? { ...planned.counts, "Findings-Total": findings.total } : planned.counts;
  return { ...metadata, ...planned, counts, idempotency };
}
