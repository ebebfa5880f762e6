/** The YAML files of teams and tokens. */
import { z } from "zod";
import { isStoredLocaleCode, type LocaleCode } from "../../domain/hives/locale.ts";
import { isHiveSlug, isTeamName, type HiveSlug, type TeamName, type TokenId } from "../../domain/names.ts";
import type { Team } from "../../domain/access/team.ts";
import { abilities, type Token } from "../../domain/access/token.ts";
import { formatStored, parseStored } from "./stored-settings.ts";

const hiveSlug = z.custom<HiveSlug>((value) => typeof value === "string" && isHiveSlug(value));
const teamName = z.custom<TeamName>((value) => typeof value === "string" && isTeamName(value));
const time = z.iso.datetime();

const teamFile = z.strictObject({
  name: teamName,
  max_strings: z.number().int().nonnegative().optional(),
  hives: z.array(hiveSlug),
});

const tokenFile = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  team: teamName,
  name: z.string().optional(),
  abilities: z.array(z.enum(abilities)),
  hives: z.union([z.literal("all"), z.array(hiveSlug)]),
  locales: z
    .array(z.custom<LocaleCode>((value) => typeof value === "string" && isStoredLocaleCode(value)))
    .optional(),
  checks: z.literal("strict").optional(),
  created: time,
  expires: time.optional(),
  session_epoch: z.number().int().positive().optional(),
  ended_sessions: z.array(z.strictObject({ id: z.string(), ends: z.number().int().positive() })).optional(),
});

/** @throws InvalidSettings when the file is invalid, or another team's. */
export function parseTeam(expected: TeamName, text: string): Team {
  const { name, max_strings: maxStrings, hives } = parseStored("team", teamFile, text);
  if (name !== expected) throw new Error(`this is the file of the team ${name}`);
  return { name, maxStrings, hives };
}

/** @throws Error when {@link parseTeam} could not read it. */
export function formatTeam(team: Team): string {
  const { name, maxStrings, hives } = team;
  const content = { name, max_strings: maxStrings, hives };
  return formatStored(content, team, (text) => parseTeam(name, text));
}

/** @throws InvalidSettings when the file is invalid. */
export function parseToken(id: TokenId, text: string): Token {
  const {
    name,
    locales,
    expires,
    session_epoch: sessionEpoch,
    ended_sessions: endedSessions,
    ...file
  } = parseStored("token", tokenFile, text);
  return {
    id,
    ...file,
    name,
    locales,
    expires,
    sessionEpoch,
    endedSessions,
  };
}

/** @throws Error when {@link parseToken} could not read it. */
export function formatToken(token: Token): string {
  const { id, sessionEpoch, endedSessions, ...fields } = token;
  const content = { ...fields, session_epoch: sessionEpoch, ended_sessions: endedSessions };
  return formatStored(content, token, (text) => parseToken(id, text));
}

const deletionFile = z.strictObject({
  team: teamName,
  published: z.strictObject({ file: z.string(), text: z.string() }).optional(),
});

/** What a repository's deletion note says. */
export interface Deletion {
  /** The team that it belonged to. */
  readonly team: TeamName;
  /** The name and the text of the file of what it published, if there was one. */
  readonly published?: { readonly file: string; readonly text: string };
}

/** The deletion note of a repository; undefined when it cannot be read. */
export function parseDeletion(text: string): Deletion | undefined {
  try {
    return parseStored("deletion", deletionFile, text);
  } catch {
    return undefined;
  }
}

export function formatDeletion({ team, published }: Deletion): string {
  const note: Deletion = published === undefined ? { team } : { team, published };
  return formatStored(note, note, parseDeletion);
}
