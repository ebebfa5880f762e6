/** The values and errors of forms: of filters in an address, and of forms that were sent. */
import type { z } from "zod";
import { isFailure, type SkepError } from "../../../domain/errors.ts";
import { check } from "../../schemas/schemas.ts";
import type { Form } from "./form.ts";

export interface FormState {
  /** Identifies the form on its page. */
  readonly form: string;
  /** The value of each field. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** All values of a field with several values. */
  readonly all: Form["all"];
  /** Errors by field. */
  readonly problems: ReadonlyMap<string, string>;
}

/** The state of a form without input. */
function emptyForm(form: string): FormState {
  return { form, values: {}, all: () => [], problems: new Map() };
}

/** The state of one form, if it is the form that was sent. */
export function stateOf(submitted: FormState | undefined, form: string): FormState {
  return submitted?.form === form ? submitted : emptyForm(form);
}

/** The filters of a list, and its content if they are valid. */
export interface Filtered<Result> extends FormState {
  /** The content of the list; undefined if a filter is invalid. */
  readonly result: Result | undefined;
}

/**
 * Reads a list with the filters of an address.
 * @param read gives the content of the list.
 * @throws errors of `read`, except `invalid`, which is in the result.
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

/** The errors by field; an error without a field has an empty name. */
export function problemsOf(error: SkepError): ReadonlyMap<string, string> {
  if (!isFailure(error, "invalid")) return new Map([["", error.message]]);
  return new Map(
    error.data.issues.map(({ field, message }): [string, string] => {
      const prefix = `${field}: `;
      return [field, message.startsWith(prefix) ? message.slice(prefix.length) : message];
    }),
  );
}
