/** Converts zod schemas to schemas of OpenAPI 3.1: JSON Schema draft 2020-12, with identified schemas as components. */
import { isRecord } from "../../domain/record.ts";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

export type Json = Readonly<Record<string, unknown>>;

export class Components {
  /** The schemas with an id, by id. */
  readonly schemas: Record<string, unknown> = {};

  /**
   * Converts a schema, and leaves out the keywords that only zod needs.
   * @throws Error when two schemas have the same id.
   */
  toSchema(schema: z.ZodType, io: "input" | "output"): Json {
    const whole = z.toJSONSchema(schema, { io, override: simplify });
    const text = JSON.stringify(whole).replaceAll('"#/$defs/', '"#/components/schemas/');
    return JSON.parse(text, (_, value: unknown) => (isRecord(value) ? this.#hoist(value) : value));
  }

  /** Moves definitions to the components. The draft is named by the document. */
  #hoist({ $schema: _schema, $defs, ...rest }: Json): Json {
    for (const [id, found] of Object.entries(isRecord($defs) ? $defs : {})) {
      const known = (this.schemas[id] ??= found);
      if (!isDeepStrictEqual(known, found)) throw new Error(`two schemas have the id ${id}`);
    }
    return rest;
  }

  toParameters(object: z.ZodObject, place: "query" | "path" | "header"): Json[] {
    return Object.entries(object.shape).map(([name, member]) => {
      if (!(member instanceof z.ZodType)) throw new Error(`${name} is not a zod schema`);
      const { description, examples, ...schema } = this.toSchema(member, "input");
      if (description === undefined) throw new Error(`the parameter ${name} has no description`);
      const required = place === "path" || !member.safeParse(undefined).success;
      return Object.assign({ name, in: place, required, schema }, exampled(description, examples, required));
    });
  }
}

/**
 * Examples of a parameter. The examples of an optional parameter are in its description, because API browsers fill in
 * the `example` of each parameter, which would change the request.
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

function simplify({
  zodSchema,
  jsonSchema: schema,
}: {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  // zod leaves the default out where a transform follows.
  const { default: usual } = z.globalRegistry.get(zodSchema) ?? {};
  if (usual !== undefined) schema.default = usual;
  // Responses may get more members, and unknown members of requests are ignored.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format === "date-time") delete schema.pattern;
}
