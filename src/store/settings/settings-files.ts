/** The YAML files of teams and tokens, and the notes of deleted Hives. */
import { z } from "zod";
import type { Team } from "../../domain/access/team.ts";
import { abilities, reviewRules, type Token } from "../../domain/access/token.ts";
import type { TeamName, TokenId } from "../../domain/names.ts";
import { count, hash, hiveSlug, localeCode, personId, positive, teamName, time } from "./fields.ts";
import { InvalidSettings, storedForm } from "./stored-settings.ts";

const teamForm = storedForm(
  "team",
  z
    .strictObject({
      name: teamName,
      max_strings: count.optional(),
      mail_on_commits: z.literal(true).optional(),
      hives: z.array(hiveSlug),
    })
    .transform(({ max_strings: maxStrings, mail_on_commits: mailOnCommits, ...team }): Team => ({
      ...team,
      maxStrings,
      mailOnCommits,
    })),
  ({ name, maxStrings, mailOnCommits, hives }: Team) => ({
    name,
    max_strings: maxStrings,
    mail_on_commits: mailOnCommits,
    hives,
  }),
);

export const rightsFields = {
  abilities: z.array(z.enum(abilities)),
  hives: z.union([z.literal("all"), z.array(hiveSlug)]),
  locales: z.array(localeCode).optional(),
  checks: z.literal("strict").optional(),
  review: z.enum(reviewRules).optional(),
};

const tokenForm = storedForm(
  "token",
  z
    .strictObject({
      hash,
      team: teamName,
      person: personId.optional(),
      name: z.string().optional(),
      ...rightsFields,
      created: time,
      expires: time.optional(),
      session_epoch: positive.optional(),
      ended_sessions: z.array(z.strictObject({ id: z.string(), ends: positive })).optional(),
    })
    .transform(({ session_epoch: sessionEpoch, ended_sessions: endedSessions, ...token }) => {
      return { ...token, sessionEpoch, endedSessions };
    }),
  ({ sessionEpoch, endedSessions, ...token }: Omit<Token, "id">) => {
    return { ...token, session_epoch: sessionEpoch, ended_sessions: endedSessions };
  },
);

/** @throws InvalidSettings when the file is invalid, or another team's. */
export function parseTeam(expected: TeamName, text: string): Team {
  const team = teamForm.parse(text);
  if (team.name !== expected) throw new InvalidSettings(`this is the file of the team ${team.name}`);
  return team;
}

export const formatTeam = teamForm.format;

/** @throws InvalidSettings when the file is invalid. */
export function parseToken(id: TokenId, text: string): Token {
  return { id, ...tokenForm.parse(text) };
}

/** The file of a token, whose id is the name of the file. */
export function formatToken(token: Token): string {
  const { id: _, ...stored } = token;
  return tokenForm.format(stored);
}

/** What a repository's deletion note says. */
export interface Deletion {
  readonly team: TeamName;
  readonly published?: { readonly file: string; readonly text: string };
}

export const deletionForm = storedForm(
  "deletion",
  z.strictObject({
    team: teamName,
    published: z.strictObject({ file: z.string(), text: z.string() }).optional(),
  }),
  ({ team, published }: Deletion) => ({ team, published }),
);
