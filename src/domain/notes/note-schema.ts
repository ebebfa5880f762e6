/** Notes as zod schemas: for stored files, requests and the OpenAPI document. */
import { z } from "zod";
import { isObject } from "../record.ts";
import { recordSchema } from "../record-schema.ts";
import { textProblem } from "../text.ts";
import { lengthUnits } from "../checks/length.ts";
import { isStoredLocaleCode } from "../hives/locale.ts";
import { isLine, isTag, noteLimits, threadLimits } from "./note-limits.ts";

function isWithin(text: string, limit: number): boolean {
  return text.length <= limit || (text.length <= 2 * limit && Array.from(text).length <= limit);
}

function textOf(limit: number): z.ZodString {
  return z
    .string("must be text")
    .min(1, "must not be empty")
    .refine((text) => isWithin(text, limit), `must have at most ${limit} characters`)
    .refine((text) => textProblem(text) === undefined, "must not hold a NUL or half of a UTF-16 pair")
    .meta({ maxLength: limit });
}

const lineOf = (limit: number): z.ZodString =>
  textOf(limit).refine(isLine, "must be one line without control characters");

const tag = textOf(noteLimits.tag).refine(isTag, "must be one line without a comma or outer blanks");

const isDistinct = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;

const listOf = (element: z.ZodString, most: number): z.ZodType<readonly string[], readonly string[]> =>
  z
    .array(element, "must be a list of texts")
    .min(1, "must not be empty")
    .max(most, `must have at most ${most} elements`)
    .refine(isDistinct, "must not have an element twice");

export const argumentNoteSchema = z
  .strictObject({
    type: textOf(noteLimits.argument).optional(),
    example: textOf(noteLimits.argument).optional(),
    description: textOf(noteLimits.argument).optional(),
  })
  .meta({ id: "ArgumentNote" });

export const appNoteSchema = z
  .strictObject(
    {
      note: textOf(noteLimits.note).optional().meta({ description: "What the text is for." }),
      max_length: z
        .int("must be a whole number")
        .min(1, "must be at least 1")
        .max(noteLimits.maxLength, `must be at most ${noteLimits.maxLength}`)
        .optional()
        .meta({ description: "How long a translation may be." }),
      max_length_unit: z
        .enum(lengthUnits, `must be one of ${lengthUnits.join(", ")}`)
        .optional()
        .meta({
          description: "`characters` as a reader counts them, the default, or `columns` of a terminal.",
        }),
      tags: listOf(tag, noteLimits.tags).optional(),
      where: listOf(lineOf(noteLimits.place), noteLimits.where)
        .optional()
        .meta({ description: "Places in the app's code.", examples: [["src/login.ts:12"]] }),
      keep: z
        .literal(true, "must be true")
        .optional()
        .meta({ description: "The text is not to be translated." }),
      arguments: recordSchema(
        lineOf(noteLimits.argumentName),
        argumentNoteSchema,
        "must be an object of arguments",
      )
        .refine(
          (named) => Object.keys(named).length <= noteLimits.arguments,
          `must have at most ${noteLimits.arguments} arguments`,
        )
        .optional()
        .meta({ description: "The arguments of the message, by name." }),
    },
    "must be an object",
  )
  .meta({ id: "AppNote", description: "What the app's files say about a string." });

export const teamNoteSchema = appNoteSchema
  .extend({
    ask: textOf(noteLimits.note).optional().meta({ description: "A question to whoever knows the string." }),
    machine: z
      .literal(false, "must be false")
      .optional()
      .meta({ description: "`false`: the text is never sent to an engine." }),
  })
  .meta({ id: "TeamNote", description: "What people say about a string in the Hive." });

const { shape } = teamNoteSchema;

/** A change of a team's note; a member that is missing stays as it is, `null` removes it. */
export const teamNoteChangeSchema = z
  .strictObject(
    {
      note: shape.note.nullable(),
      ask: shape.ask.nullable(),
      max_length: shape.max_length.nullable(),
      max_length_unit: shape.max_length_unit.nullable(),
      tags: shape.tags.nullable(),
      where: shape.where.nullable(),
      keep: shape.keep.nullable(),
      machine: shape.machine.nullable(),
      arguments: shape.arguments.nullable(),
    },
    "must be an object",
  )
  .meta({
    id: "TeamNoteChange",
    description: "Members of a team's note; `null` removes one, and one that is missing stays as it is.",
  });

/** The text of a comment. */
export const commentText = textOf(threadLimits.text);

export const commentSchema = z.strictObject({
  /** Unique among those of its string, on all branches. */
  id: lineOf(threadLimits.id),
  /** The id of a person or a token, or the name of an author without one. Undefined where nobody has recorded it. */
  by: lineOf(threadLimits.by).optional(),
  /** No two of one string were made at the same time. */
  at: z.iso.datetime({ precision: 3, error: "must be a time" }).optional(),
  /** The language that it is about; undefined for all. */
  locale: z.string().refine(isStoredLocaleCode, "must be the code of a locale").optional(),
  text: commentText,
  /** It is a question. */
  ask: z.literal(true, "must be true").optional(),
  /** A question of somebody who may write: the string is withheld from work while it is open. */
  withholds: z.literal(true, "must be true").optional(),
  /** A question that is open no more. */
  settled: z.literal(true, "must be true").optional(),
});

const storedThread = z
  .array(commentSchema, "must be a list of comments")
  .min(1, "must not be empty")
  .max(threadLimits.stored, `must have at most ${threadLimits.stored} comments`)
  .refine((all) => isDistinct(all.map(({ id }) => id)), "must not have an id twice");

/** Notes in a Hive's tree. A question was a member of the note itself before there were comments. */
export const storedNotesSchema = z.strictObject({
  app: appNoteSchema.optional(),
  team: teamNoteSchema.extend({ thread: storedThread.optional() }).optional(),
});

/**
 * Why a note has far too many parts; checked before the schema, which would look at each of them.
 * @returns the member, and what is wrong with it.
 */
export function excessOf(note: unknown): readonly [member: string, problem: string] | undefined {
  const thread: unknown = isObject(note) && isObject(note["team"]) ? note["team"]["thread"] : undefined;
  if (Array.isArray(thread) && thread.length > threadLimits.stored)
    return ["thread", `must have at most ${threadLimits.stored} comments`];
  for (const [member, most] of [
    ["tags", noteLimits.tags],
    ["where", noteLimits.where],
    ["arguments", noteLimits.arguments],
  ] as const) {
    const value: unknown = isObject(note) ? note[member] : undefined;
    if (isObject(value) && Object.keys(value).length > most)
      return [member, `must have at most ${most} elements`];
  }
  return undefined;
}
