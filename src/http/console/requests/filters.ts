/** Reads what a list is asked for, and says beside each field what is wrong with it. */
import type { z } from "zod";
import { isFailure } from "../../../domain/errors.ts";
import { check } from "../../schemas/schemas.ts";

/** The filters of a list as they were given, and as far as they could be used. */
export interface Filtered<Result> {
  /** What each field holds. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** What is wrong, by field. */
  readonly problems: ReadonlyMap<string, string>;
  /** What the list shows; undefined where something is wrong. */
  readonly result: Result | undefined;
}

/**
 * Reads a list with the filters of an address.
 * @param read gives what the list shows.
 * @throws what it throws, but for wrong input, which is in the result.
 */
export async function readFiltered<Schema extends z.ZodType, Result>(
  schema: Schema,
  query: Readonly<Record<string, unknown>>,
  read: (filters: z.output<Schema>) => Promise<Result>,
): Promise<Filtered<Result>> {
  const given = Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const values = Object.fromEntries(given);
  try {
    return { values, problems: new Map(), result: await read(check(schema, query, "query")) };
  } catch (error) {
    if (!isFailure(error, "invalid")) throw error;
    const problems = error.data.issues.map(({ field, message }): [string, string] => {
      const prefix = `${field}: `;
      return [field, message.startsWith(prefix) ? message.slice(prefix.length) : message];
    });
    return { values, problems: new Map(problems), result: undefined };
  }
}
