/** Forms of an entity's schema: its members as a request gives them, and as a response has them. */
import { z } from "zod";

type GivenMember<Member> =
  Member extends z.ZodOptional<infer Inner>
    ? z.ZodOptional<z.ZodNullable<Inner>>
    : Member extends z.ZodDefault<infer Inner>
      ? z.ZodOptional<Inner>
      : Member;

/**
 * The members of an entity as a change gives them: one that is not given stays as it is, so none has a default, and
 * `null` removes one that need not be there.
 * @param tidy makes each text what is stored.
 */
export function givenMembers<Shape extends z.ZodRawShape>(
  shape: Shape,
  tidy: (text: string) => string,
): { [Name in keyof Shape]: GivenMember<Shape[Name]> };
export function givenMembers(shape: z.ZodRawShape, tidy: (text: string) => string): z.ZodRawShape {
  const tidied = (schema: z.core.$ZodType): z.core.$ZodType => {
    if (schema instanceof z.ZodString) return schema.overwrite(tidy);
    return schema instanceof z.ZodArray
      ? schema.clone({ ...schema.def, element: tidied(schema.element) })
      : schema;
  };
  return mapMembers(shape, (member) => {
    const meta = z.globalRegistry.get(member) ?? {};
    if (member instanceof z.ZodOptional) return z.optional(z.nullable(tidied(member.unwrap()))).meta(meta);
    if (member instanceof z.ZodDefault) return z.optional(tidied(member.unwrap())).meta(meta);
    return tidied(member);
  });
}

type AnswerMember<Member> =
  Member extends z.ZodOptional<infer Inner>
    ? z.ZodNullable<AnswerMember<Inner>>
    : Member extends z.ZodDefault<infer Inner>
      ? AnswerMember<Inner>
      : Member;

/**
 * The members of an entity as a response has them: all are there, `null` where nothing is said. The limits of texts are
 * left out with what is said of members to those who send them; what is said of the values of a choice stays.
 */
export function answerMembers<Shape extends z.ZodRawShape>(
  shape: Shape,
): { [Name in keyof Shape]: AnswerMember<Shape[Name]> };
export function answerMembers(shape: z.ZodRawShape): z.ZodRawShape {
  const answered = (member: z.core.$ZodType): z.core.$ZodType => {
    if (member instanceof z.ZodOptional) return z.nullable(answered(member.unwrap()));
    if (member instanceof z.ZodDefault) return answered(member.unwrap());
    if (member instanceof z.ZodArray) return z.array(answered(member.element));
    return member instanceof z.ZodString ? z.string() : member;
  };
  return mapMembers(shape, answered);
}

function mapMembers(
  shape: z.ZodRawShape,
  change: (member: z.core.$ZodType) => z.core.$ZodType,
): z.ZodRawShape {
  return Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, change(member)]));
}
