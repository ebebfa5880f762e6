/** Items of work and their results as JSON has them. */
import type { z } from "zod";
import { shownCodes, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import type { LocatedFinding } from "../../../domain/plans/check-content.ts";
import type { WorkItem, WorkResult } from "../../../domain/work/work.ts";
import type { Work } from "../../../service/work/next-work.ts";
import { toFindings } from "../../schemas/finding-schemas.ts";
import type { doneResponse, workResponse } from "./work-schemas.ts";

type WorkJson = z.input<typeof workResponse>;

/** What is handed out. */
export function toWork({ settings, ...work }: Work): WorkJson {
  return {
    claim: work.claim ?? null,
    expires_at: work.expiresAt === undefined ? null : new Date(work.expiresAt).toISOString(),
    commit: work.commit,
    style: work.style,
    glossary_version: work.glossaryVersion,
    items: work.items.map((item) => toItem(item, settings)),
    tokens: work.tokens,
    left: work.left,
    claimed: work.claimed,
  };
}

function toItem(item: WorkItem, settings: HiveSettings): WorkJson["items"][number] {
  const { note = null, ask = null, rejected = null, maxLength = null, maxLengthUnit = null } = item;
  return {
    file: item.file,
    key: item.key,
    state: item.state,
    forms: item.forms.map(
      ({ form, key, source, example = null, translation = null, formerSource = null }) => ({
        form,
        key,
        source,
        example,
        translation,
        former_source: formerSource,
      }),
    ),
    syntax: item.syntax,
    arguments: item.arguments.map(({ kind = null, ...argument }) => ({ ...argument, kind })),
    note,
    ask,
    rejected,
    max_length: maxLength,
    max_length_unit: maxLengthUnit,
    tags: [...item.tags],
    pictures: [...item.pictures],
    where: [...item.where],
    neighbours: item.neighbours.map(({ key, source, translation = null }) => ({ key, source, translation })),
    other_locales: item.otherLocales,
    memory: item.memory.map(({ source, text, hive, file, key, score, approved, former }) => ({
      source,
      text,
      hive,
      file,
      key,
      score,
      approved,
      former,
    })),
    terms: item.terms.map(({ source, meaning = null, partOfSpeech = null, translation = null, ...term }) => ({
      source,
      meaning,
      part_of_speech: partOfSpeech,
      translation,
      accepted: [...term.accepted],
      forbidden: [...term.forbidden],
      keep: term.keep,
    })),
    findings: shownFindings(item.findings, settings),
    expected: item.expected,
  };
}

/** What became of answers. @param settings of their Hive. */
export function toResults(
  results: readonly WorkResult[],
  settings: HiveSettings,
): z.input<typeof doneResponse>["items"] {
  return results.map(({ findings, ...result }) => ({
    ...result,
    ...(findings && { findings: shownFindings(findings, settings) }),
  }));
}

function shownFindings(findings: readonly LocatedFinding[], settings: HiveSettings) {
  const shown = shownCodes(settings);
  return toFindings(findings.map((one) => Object.assign({}, one, { locale: shown(one.locale) })));
}
