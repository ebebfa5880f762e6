/** Checks the quotas of teams over all servers. */
import type { QuotaClaim } from "../record/record.ts";
import type { Sql } from "./session.ts";

/** An array of texts as PostgreSQL reads it. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

/**
 * Checks a change that adds strings to a team. Such changes of one team wait for each other until they are committed.
 * @throws what the check throws.
 */
export async function checkQuota(sql: Sql, { team, others, check }: QuotaClaim): Promise<void> {
  await sql`INSERT INTO team VALUES (${team}) ON CONFLICT (name) DO NOTHING`;
  await sql`SELECT name FROM team WHERE name = ${team} FOR UPDATE`;
  const [row] = await sql<{ sum: number }[]>`
    SELECT COALESCE(sum(strings), 0)::float8 AS sum FROM repository
    WHERE slug = ANY(${textArray(others)}::text[]) AND trash IS NULL`;
  check(row?.sum ?? 0);
}
