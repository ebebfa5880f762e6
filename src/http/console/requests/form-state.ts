/** What the fields of a form hold, and what is wrong with that: of filters in an address, and of forms that were sent. */
import type { z } from "zod";
import { isFailure, type SkepError } from "../../../domain/errors.ts";
import { check } from "../../schemas/schemas.ts";
import type { Form } from "./form.ts";

export interface FormState {
  /** Tells apart the forms of a page. */
  readonly form: string;
  /** What each field holds. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** All that a field of many values holds. */
  readonly all: Form["all"];
  /** What is wrong, by field. */
  readonly problems: ReadonlyMap<string, string>;
}

/** A form that nobody has filled in. */
function emptyForm(form: string): FormState {
  return { form, values: {}, all: () => [], problems: new Map() };
}

/** The state of one form of a page on which a form may have been sent. */
export function stateOf(sent: FormState | undefined, form: string): FormState {
  return sent?.form === form ? sent : emptyForm(form);
}

/** The filters of a list as they were given, and as far as they could be used. */
export interface Filtered<Result> extends FormState {
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
  const state = { ...emptyForm("filter"), values: Object.fromEntries(given) };
  try {
    return { ...state, result: await read(check(schema, query, "query")) };
  } catch (error) {
    if (!isFailure(error, "invalid")) throw error;
    return { ...state, problems: problemsOf(error), result: undefined };
  }
}

/** What is wrong, by field; what is about none has an empty name. */
export function problemsOf(error: SkepError): ReadonlyMap<string, string> {
  if (!isFailure(error, "invalid")) return new Map([["", error.message]]);
  return new Map(
    error.data.issues.map(({ field, message }): [string, string] => {
      const prefix = `${field}: `;
      return [field, message.startsWith(prefix) ? message.slice(prefix.length) : message];
    }),
  );
}
