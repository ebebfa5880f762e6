/** Requests that are generated from the OpenAPI document, as fuzzers of APIs do it, good ones and bad ones. */
import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import { document } from "../../helpers/http/described.ts";
import { makeHive, prepareWeb, type Call, type WebOptions } from "../../helpers/storage.ts";
import { runs } from "../../helpers/runs.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly examples?: readonly unknown[];
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
}

interface Sent {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

/** Streams have no end, the reference is no JSON, and a commit that never comes is waited for. */
const left = /events$|^\/docs$/;
const leftParameter = "min_commit";

// oxlint-disable-next-line typescript/no-explicit-any -- a document of JSON, looked into by name
const operations: readonly Operation[] = Object.entries<Record<string, any>>(document.paths).flatMap(
  ([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.responses !== undefined && !left.test(path))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        parameters: (operation.parameters ?? [])
          .map(resolved)
          .filter(({ name }: Parameter) => name !== leftParameter),
        body: operation.requestBody && resolved(operation.requestBody).content["application/json"].schema,
      })),
);

/** What the Hive has, and what clients get wrong. */
const known: Readonly<Record<string, string>> = {
  slug: "web",
  locale: "fr",
  branch: "next",
  name: "feature/login",
  channel: "live",
  file: "auth.php",
  key: "login",
  at: "v1",
};
const present = ["web", "app", "main", "fr", "next", "live", "auth.php", "login", "a.b", "x_other", "v1"];
const odd = [
  "",
  "..",
  "%00",
  "\0",
  "\u{202E}",
  "é",
  "\u{1D4B3}",
  "__proto__",
  "0",
  "-1",
  "1e9",
  "a".repeat(300),
];
const words = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...present) },
  fc.constantFrom(...odd),
  fc.string({ maxLength: 8 }),
);
const anything = fc.oneof(
  words,
  fc.integer(),
  fc.constantFrom<unknown>(null, true, 1.5, 1e300),
  fc.dictionary(words, words, { maxKeys: 2 }),
  fc.array(words, { maxLength: 2 }),
);

// oxlint-disable-next-line typescript/no-explicit-any -- a part of a document of JSON
function resolved(value: any): any {
  if (value.$ref === undefined) return value;
  const place: readonly string[] = value.$ref.split("/").slice(1);
  return resolved(place.reduce((at, name) => at[name], document));
}

/** Values that mostly fit a schema. */
function valuesOf(given: Schema, depth = 0, name = ""): fc.Arbitrary<unknown> {
  const schema: Schema = resolved(given);
  const value = known[name];
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  const fitting = choices
    ? fc.oneof(...choices.map((choice) => valuesOf(choice, depth)))
    : schema.const !== undefined
      ? fc.constant(schema.const)
      : schema.enum !== undefined
        ? fc.constantFrom(...schema.enum)
        : fc.oneof(...[schema.type ?? "object"].flat().map((type) => valuesOfType(type, schema, depth)));
  return fc.oneof(
    { weight: 12, arbitrary: fitting },
    { weight: 1, arbitrary: anything },
    { weight: value === undefined ? 0 : 50, arbitrary: fc.constant(value) },
  );
}

function valuesOfType(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (type === "null") return fc.constant(null);
  if (type === "boolean") return fc.boolean();
  if (type === "integer" || type === "number") return fc.integer({ min: schema.minimum ?? -2 });
  if (type === "string")
    return schema.examples ? fc.oneof(words, fc.constantFrom(...schema.examples)) : words;
  if (type === "array") return fc.array(valuesOf(schema.items ?? {}, depth + 1), { maxLength: 3 });
  const { properties = {}, required = [], additionalProperties } = schema;
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, valuesOf(member, depth + 1, name)]),
  );
  const listed = fc.record(members, { requiredKeys: [...required] });
  if (typeof additionalProperties !== "object" || depth > 3) return listed;
  const further = fc.dictionary(words, valuesOf(additionalProperties, depth + 1), { maxKeys: 3 });
  return fc.tuple(listed, further).map(([own, others]) => Object.assign(others, own));
}

const textsOf = ({ schema, name }: Parameter): fc.Arbitrary<string> =>
  valuesOf(schema, 0, name).map((value) =>
    (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed(),
  );

/** The parameters of an operation at one place, by name; those that are not required are mostly left out. */
function parametersOf(
  { parameters }: Operation,
  place: Parameter["in"],
): fc.Arbitrary<Record<string, string>> {
  const values = parameters
    .filter((parameter) => parameter.in === place)
    .map((parameter) =>
      fc.oneof(
        { weight: parameter.required === true ? 0 : 3, arbitrary: fc.constant<[string, string][]>([]) },
        {
          weight: 1,
          arbitrary: textsOf(parameter).map((value): [string, string][] => [[parameter.name, value]]),
        },
      ),
    );
  return fc.tuple(...values).map((entries) => Object.fromEntries(entries.flat()));
}

/** A value as a part of a path. URLs resolve `.` and `..`, encoded or not, so these would ask for another address. */
function segmentOf(value: string): string {
  return /^\.{1,2}$/.test(value) ? "dots" : encodeURIComponent(value);
}

function requestsOf(operation: Operation): fc.Arbitrary<Sent> {
  return fc
    .record({
      path: parametersOf(operation, "path"),
      query: parametersOf(operation, "query"),
      header: parametersOf(operation, "header"),
      body: operation.body === undefined ? fc.constant(undefined) : valuesOf(operation.body),
    })
    .map(({ path, query, header, body }) => ({
      path:
        operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(path[name] ?? "")) +
        `?${String(new URLSearchParams(query))}`,
      headers: Object.fromEntries(
        Object.entries(header).map(([name, value]) => [name, value.replaceAll(/[^\x21-\x7e]/g, "")]),
      ),
      body,
    }));
}

let call: Call;
const options: WebOptions = {
  locales: ["fr", "ru"],
  token: { abilities: ["read", "write", "admin"] },
  app: { publicUrl: "https://skep.example.org" },
};
const prepared = prepareWeb(options, async ({ storage, call, post }) => {
  await makeHive(storage, "app");
  const files = { "auth.php": { login: "Login", a: { b: "B" }, x_other: "{count} x" } };
  await post(files);
  await call("POST", "/api/hives/web/branches", { body: { name: "next" } });
  await call("POST", "/api/hives/web/tags", { body: { name: "v1" } });
  await call("PUT", "/api/hives/web/channels/live", { body: { public: true } });
});
beforeEach(async () => {
  ({ call } = await prepared());
});

it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  "%s answers any request as the document says, and never fails",
  async (_, operation) => {
    await fc.assert(
      fc.asyncProperty(requestsOf(operation), async ({ path, headers, body }) => {
        // The call holds the response to the document, and a request that was accepted, too.
        const { status } = await call(operation.method, path, {
          headers,
          ...(body !== undefined && { body }),
        });
        expect(status).toBeLessThan(500);
      }),
      { numRuns: runs(15) },
    );
  },
);
