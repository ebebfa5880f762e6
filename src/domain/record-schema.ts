/** Schemas of objects whose members may have any name. */
import { z } from "zod";

/**
 * A schema of objects by the names of their members. It refuses the name `__proto__`, which `z.record` drops silently.
 * @param message says what the value must be where it is no object.
 */
export function recordSchema<Name extends z.ZodType<string, string>, Member extends z.ZodType>(
  names: Name,
  member: Member,
  message?: string,
) {
  const record = z.record(names, member, message);
  return z.preprocess((value: z.input<typeof record>, context) => {
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__"))
      context.addIssue({ code: "custom", path: ["__proto__"], message: "is not a name that it may have" });
    return value;
  }, record);
}
