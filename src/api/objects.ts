/** The parts that schemas are made of. */
import { z } from "zod";
import { oidPattern } from "../domain/names.ts";
import { textProblem } from "../domain/text.ts";

export const text = z.string("must be text");

/** A text that can be stored unchanged, of so many characters at most. */
export function textOf(max: number) {
  return text
    .max(max, `must be at most ${max} characters`)
    .refine((given) => textProblem(given) === undefined, "must not hold a NUL or half of a UTF-16 pair");
}

/** A text in a response, or `null` where there is none. */
export const nullableText = z.string().nullable();

export const count = z.int().nonnegative();

/** The members that name a string in a response, and a text in a locale. */
export const stringAddress = { file: z.string(), key: z.string() };
export const textAddress = { locale: z.string(), ...stringAddress };

/** A member of a body that may be left out or `null`, which both mean its default. */
export function defaulting<Value extends z.ZodType>(
  schema: Value,
  usual: z.output<Value>,
  description: string,
) {
  return schema
    .nullish()
    .transform((given) => given ?? usual)
    .meta({ default: usual, description });
}

/** A JSON object; in a request, members that are not of the shape are ignored. */
export function jsonObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.object(shape, "must be a JSON object");
}

/** A JSON object with a name in the OpenAPI document. */
export function named<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) {
  return jsonObject(shape).meta({ id });
}

/** How many faulty elements of a list are reported; the list is not checked beyond them. */
const maxListFaults = 20;

/**
 * A list whose elements are checked one by one: zod itself collects every fault of every element, which takes seconds
 * for a large body full of faults.
 * @param max how many elements it may have.
 */
export function listOf<Element extends z.ZodType>(
  element: Element,
  { message = "must be a list", max }: { readonly message?: string; readonly max?: number } = {},
) {
  const limited = <Any extends z.ZodType>(list: z.ZodArray<Any>) =>
    max === undefined ? list : list.max(max, `must have at most ${max} elements`);
  return limited(z.array(z.unknown(), message))
    .transform((values, context) => {
      const elements: z.output<Element>[] = [];
      let faults = 0;
      for (const [i, value] of values.entries()) {
        const { success, data, error } = element.safeParse(value);
        if (success) elements.push(data);
        for (const issue of error?.issues ?? []) {
          context.addIssue({ code: "custom", path: [i, ...issue.path], message: issue.message });
        }
        if (!success && ++faults === maxListFaults) break;
      }
      return elements;
    })
    .meta({ ...z.toJSONSchema(limited(z.array(element)), { io: "input" }) });
}

/** The rules for all texts that name a revision. They do not say whether the revision exists. */
export const asRevision = {
  minLength: 1,
  maxLength: 255,
  pattern: "^[^\\u0000-\\u001f\\u007f~^?*\\[\\\\]+$",
};

/** An optional parameter that may not be repeated. */
export const once = z.string("must be given once").optional();

/** Such a parameter with its description. */
export function queryParam(description: string, ...examples: readonly string[]) {
  return once.meta(examples.length === 0 ? { description } : { description, examples: [...examples] });
}

/** The parameter that selects an earlier state. */
export const atField = once.meta({
  ...asRevision,
  description:
    "Read an earlier state: the hash of a commit (at least its first 7 digits), a tag, `main`, or an ISO 8601 date or time, tried in this order.",
  examples: ["v1.2", "2026-01-31"],
});

/** The hash of a commit in a response. */
export const commitName = z.string().meta({ pattern: oidPattern.source });

/** The schema of a response with a whole list. @param id its name in the OpenAPI document. */
export function allOf<Entry extends z.ZodType>(id: string, entry: Entry) {
  return named(id, { data: z.array(entry) });
}

/** The place of a page among all pages of a list. */
export const pageMeta = named("PageMeta", {
  current_page: count,
  last_page: count.meta({ description: "At least 1." }),
  per_page: count,
  total: count.meta({ description: "The number of entries on all pages." }),
});
export type PageMeta = z.infer<typeof pageMeta>;

/** The schema of a response with a page of a list. @param id its name in the OpenAPI document. */
export function pageOf<Entry extends z.ZodType>(id: string, entry: Entry) {
  return named(id, { data: z.array(entry), meta: pageMeta });
}
