/** zod's schemas as OpenAPI 3.1 has them: JSON Schema of draft 2020-12, with whatever has an id in one place. */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

export type Json = Readonly<Record<string, unknown>>;

export class Components {
  /** The schemas that have an id, by it. */
  readonly schemas: Record<string, unknown> = {};

  /**
   * A schema without what only zod needs said.
   * @param io whether it is of what comes in or of what goes out.
   * @throws Error when two schemas have one id.
   */
  toSchema(schema: z.ZodType, io: "input" | "output"): Json {
    const whole = z.toJSONSchema(schema, { io, override: simplify });
    const text = JSON.stringify(whole).replaceAll('"#/$defs/', '"#/components/schemas/');
    return JSON.parse(text, (_, value: unknown) => (isObject(value) ? this.#hoist(value) : value));
  }

  /** Definitions go to the components; which draft it is, the document says. */
  #hoist({ $schema: _schema, $defs, ...rest }: Json): Json {
    for (const [id, found] of Object.entries(isObject($defs) ? $defs : {})) {
      const known = (this.schemas[id] ??= found);
      if (!isDeepStrictEqual(known, found)) throw new Error(`two schemas have the id ${id}`);
    }
    return rest;
  }

  /** The members of an object as parameters, each with what its schema says of it. */
  toParameters(object: z.ZodObject, place: "query" | "path" | "header"): Json[] {
    return Object.entries(object.shape).map(([name, member]) => {
      if (!(member instanceof z.ZodType)) throw new Error(`${name} is no schema of zod's`);
      const { description, examples, ...schema } = this.toSchema(member, "input");
      if (description === undefined) throw new Error(`the parameter ${name} has no description`);
      const required = place === "path" || !member.safeParse(undefined).success;
      return Object.assign({ name, in: place, required, schema }, exampled(description, examples, required));
    });
  }
}

/**
 * Examples of a parameter. An optional one has them in its description: pages that send requests fill in whatever
 * stands in `example`, which would ask for something else than the request without it.
 */
function exampled(description: unknown, examples: unknown, required: boolean): Json {
  if (!Array.isArray(examples)) return { description };
  if (!required) {
    const shown = examples.map((value) => `\`${String(value)}\``).join(" or ");
    return { description: `${String(description)} For example ${shown}.` };
  }
  const [example, ...others]: unknown[] = examples;
  if (others.length === 0) return { description, example };
  return {
    description,
    examples: Object.fromEntries(examples.map((value: unknown) => [String(value), { value }])),
  };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function simplify({
  zodSchema,
  jsonSchema: schema,
}: {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  // zod leaves it out where a transform follows, after which it may be of another type.
  const { default: usual } = z.globalRegistry.get(zodSchema) ?? {};
  if (usual !== undefined) schema.default = usual;
  // An answer may get members, and a caller's unknown ones are ignored.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format === "date-time") delete schema.pattern;
}
