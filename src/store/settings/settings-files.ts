/** The YAML files of teams and tokens, and the notes of deleted Hives. */
import { z } from "zod";
import { storedTeam, type Team } from "../../domain/access/team.ts";
import { storedToken, type Token } from "../../domain/access/token.ts";
import type { TeamName, TokenId } from "../../domain/names.ts";
import { teamName } from "../../domain/hives/stored-fields.ts";
import { InvalidSettings, storedForm } from "./stored-settings.ts";

const teamForm = storedForm("team", storedTeam);
const tokenForm = storedForm("token", storedToken);

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

export const deletionForm = storedForm(
  "deletion",
  z.strictObject({
    team: teamName,
    published: z.strictObject({ file: z.string(), text: z.string() }).optional(),
  }),
);

/** What a repository's deletion note says. */
export type Deletion = ReturnType<typeof deletionForm.parse>;
