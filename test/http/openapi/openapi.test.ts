/** The OpenAPI document: sound, complete, and served. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { routes } from "../../../src/http/app.ts";
import { toDocument, toTemplate } from "../../../src/http/openapi/document.ts";
import { errorDocs, errorsOf } from "../../../src/http/openapi/errors.ts";
import { document, expectDescribed, faultOf } from "../../helpers/http/described.ts";
import { harness, memoryStorage } from "../../helpers/storage.ts";

interface ErrorAnswer {
  readonly content: {
    readonly "application/json": {
      readonly example?: unknown;
      readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
    };
  };
}

const operations = routes.map(({ id, method, path }) => {
  const place = ["paths", toTemplate(path), method.toLowerCase()];
  return { id, place, operation: document.paths[toTemplate(path)][method.toLowerCase()] };
});

interface Schema {
  readonly type?: unknown;
  readonly items?: unknown;
  readonly pattern?: unknown;
  readonly properties?: unknown;
}

/** Every object within a value, which is a schema where it has the members of one. */
function schemasIn(value: unknown): readonly Schema[] {
  if (typeof value !== "object" || value === null) return [];
  return [...(Array.isArray(value) ? [] : [value]), ...Object.values(value).flatMap(schemasIn)];
}

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1 by its meta-schema", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    expect(errors ?? "none").toBe("none");
    expect(valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  it("has an operation for every route, each with an id of its own", () => {
    const ids = operations.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation, id } of operations) {
      expect(operation.operationId).toBe(id);
      expect(document.tags.map(({ name }: { name: string }) => name)).toContain(operation.tags[0]);
    }
  });

  it("states the defaults", () => {
    const { parameters } = document.paths["/api/hives/{slug}/strings"].get;
    const defaults = parameters.flatMap(({ name, schema }: { name: string; schema: { default?: unknown } }) =>
      schema.default === undefined ? [] : [[name, schema.default]],
    );
    expect(Object.fromEntries(defaults)).toEqual({ page: 1, per_page: 100 });
    const { schema } =
      document.paths["/api/hives/{slug}/strings"].put.requestBody.content["application/json"];
    expect(schema.properties.conflict_strategy.default).toBe("keep");
    expect(schema.required).toEqual(["files"]);
  });

  it("has no dangling references", () => {
    const refs = Array.from(
      JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g),
      ([, path = ""]) => path,
    );
    expect(refs.length).toBeGreaterThan(0);
    for (const ref of refs) {
      expect(
        ref.split("/").reduce((value, name) => value?.[name], document),
        ref,
      ).toBeTypeOf("object");
    }
  });

  it("uses all of its named components, also for every object in a response", () => {
    const text = JSON.stringify(document);
    for (const kind of ["schemas", "responses"]) {
      for (const name of Object.keys(document.components[kind])) {
        expect(text).toContain(`"$ref":"#/components/${kind}/${name}"`);
      }
    }
    for (const { operation } of operations) {
      for (const { content = {} } of Object.values<{ content?: Record<string, { schema: object }> }>(
        operation.responses,
      )) {
        const { schema } = content["application/json"] ?? {};
        if (schema !== undefined) expect(schema, operation.operationId).toHaveProperty("$ref");
      }
    }
    const nested = Object.entries<{ properties?: object }>(document.components.schemas).flatMap(
      ([name, { properties = {} }]) =>
        schemasIn(properties).filter((schema) => schema.properties !== undefined && name !== "Document"),
    );
    expect(nested).toEqual([]);
  });

  it("has no schema that generators of clients stumble over", () => {
    const schemas = schemasIn(document);
    expect(schemas.filter(({ type, items }) => type === "array" && items === undefined)).toEqual([]);
    expect(schemas.filter(({ type, pattern }) => type === "integer" && pattern !== undefined)).toEqual([]);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(JSON.stringify(schema), "a schema that refers to itself").not.toContain(`schemas/${name}"`);
    }
  });

  it("has examples of parameters beside their schemas, and schemes without scopes for the tokens", () => {
    for (const { operation } of operations) {
      for (const { schema } of operation.parameters ?? []) expect(schema).not.toHaveProperty("examples");
      for (const scheme of operation.security) expect(scheme).toEqual({ token: [] });
    }
  });

  it.each([
    ["getHive", "slug", ["web"], ["Web", "-web", "a".repeat(65)]],
    ["importStrings", "dry_run", [true, false], ["true", 1]],
    ["importStrings", "max_deletions", [0, 20], [-1, "20", 0.5]],
    ["importStrings", "If-Match", [`"${"a".repeat(40)}"`], ["a".repeat(40), "*", '"v1"']],
    ["importStrings", "Idempotency-Key", ["run-1", "~"], ["", "a b", "ä", "a".repeat(256)]],
    [
      "exportTranslations",
      "at",
      ["v1.2", "main", "2026-01-31T10:00:00+01:00", "1b2c3d4"],
      ["", "main~1", "a^"],
    ],
    ["getCommit", "commit", ["1b2c3d4", "v1.2"], ["", "HEAD~1"]],
  ])("says which values %s takes for %s", (id, name, good, bad) => {
    const found = operations.find((operation) => operation.id === id);
    const index = found?.operation.parameters.findIndex((one: { name: string }) => one.name === name);
    const place = [...(found?.place ?? []), "parameters", index, "schema"];
    for (const value of good) expect(faultOf(value, place), String(value)).toBeUndefined();
    for (const value of bad) expect(faultOf(value, place), String(value)).toBeDefined();
  });

  it.each([
    ["NewHive", [{ slug: "web" }, { slug: "web", locales: ["fr", { code: "pt-BR" }] }], [{ slug: "W" }, {}]],
    [
      "NewLocale",
      [{ code: "pt-BR", custom_code: "pt_BR" }],
      [{ code: "pt_BR" }, { code: "pt", custom_code: "a.b" }],
    ],
    [
      "HiveUpdate",
      [{ name: "Web" }, { max_deletions: null }, { plurals: "none" }],
      [{}, { name: "" }, { plurals: "no" }, { name: "a".repeat(201) }],
    ],
    [
      "NewTag",
      [{ name: "v1.2" }, { name: "web/v1", at: "main" }],
      [{ name: "" }, { name: "-v" }, { name: "a b" }],
    ],
  ])("says what a %s may be", (name, good, bad) => {
    const place = ["components", "schemas", name];
    for (const value of good) expect(faultOf(value, place), JSON.stringify(value)).toBeUndefined();
    for (const value of bad) expect(faultOf(value, place), JSON.stringify(value)).toBeDefined();
  });

  it.each(operations)("has examples of $id that fit their schemas", ({ operation, place }) => {
    const contents = [
      ...(operation.requestBody === undefined ? [] : [[operation.requestBody, "requestBody"]]),
      ...Object.entries(operation.responses)
        .filter(([status]) => status.startsWith("2"))
        .map(([status, response]) => [response, "responses", status]),
    ];
    for (const [{ content }, ...names] of contents) {
      for (const [type, { example }] of Object.entries<{ example: unknown }>(content)) {
        expect(example).toBeDefined();
        expect(faultOf(example, [...place, ...names, "content", type, "schema"])).toBeUndefined();
      }
    }
  });

  it("has an example of every error that fits its schema", () => {
    const shown = new Set<string>();
    for (const [name, answer] of Object.entries<ErrorAnswer>(document.components.responses)) {
      const { example, examples = { [name]: { value: example } } } = answer.content["application/json"];
      for (const [code, { value }] of Object.entries(examples)) {
        shown.add(code);
        expect(faultOf(value, ["components", "schemas", "Error"]), name).toBeUndefined();
      }
    }
    const visible = Object.entries(errorDocs).filter(([, docs]) => docs !== null);
    // No operation of the document has a method that is not possible, and no address of theirs is used up.
    const elsewhere = new Set(["method-not-allowed", "gone"]);
    const expected = visible.map(([code]) => code).filter((code) => !elsewhere.has(code));
    expect([...shown].toSorted()).toEqual([...expected, "internal"].toSorted());
  });

  it("is told no error of a route that all routes of its kind have", () => {
    const repeated = routes.flatMap(({ id, errors = [], ...route }) => {
      const known = new Set([...errorsOf({ id, ...route }).values()].flat());
      return errors.filter((code) => known.has(code)).map((code) => `${id}: ${code}`);
    });
    expect(repeated).toEqual([]);
  });

  it("cannot be made of routes that lack a part of their description", () => {
    const [route] = routes;
    if (route === undefined) throw new Error("no routes");
    expect(() => toDocument([{ ...route, path: "/api/:undescribed" }], "1")).toThrow("undescribed");
  });
});

describe("the check of responses against the document", () => {
  const answered = (status: number, body: unknown) => ({
    status,
    headers: new Headers({ "content-type": "application/json", "retry-after": "1" }),
    text: JSON.stringify(body),
  });

  it.each<[string, string, string, number, unknown]>([
    ["a status that is not described", "GET", "/healthz", 418, { message: "x" }],
    ["a member that is not described", "GET", "/healthz", 200, { status: "ok", more: 1 }],
    ["a wrong member", "GET", "/healthz", 200, { status: 1 }],
    ["an error of another form", "GET", "/healthz", 400, { error: "x" }],
    ["a missing header", "GET", "/api/hives/web/tags", 401, { message: "x" }],
    ["an answer at an unknown address", "GET", "/api/nothing", 200, {}],
  ])("refuses %s", (_, method, path, status, body) => {
    expect(() => expectDescribed({ method, path }, answered(status, body))).toThrow("OpenAPI document");
  });
});

describe("GET /openapi.json", () => {
  it("is open to all, and is the document of this version", async () => {
    const { call } = harness(memoryStorage(), undefined);
    const { status, headers, json } = await call("GET", "/openapi.json");
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(json).toEqual({ ...document, info: { ...document.info, version: json.info.version } });
    expect(json.info.version).toMatch(/^\d+\.\d+\.\d+/);
  });

  it.each([
    [undefined, "/"],
    ["https://skep.example.org", "/"],
    ["https://example.org/tools/skep", "/tools/skep"],
    ["https://example.org/tools/skep/", "/tools/skep"],
  ])("names the path of the public address %s: %s", async (publicUrl, url) => {
    const { call } = harness(memoryStorage(), undefined, { publicUrl });
    expect((await call("GET", "/openapi.json")).json.servers).toEqual([{ url }]);
  });

  it("is a 304 for clients that have it", async () => {
    const { call } = harness(memoryStorage(), undefined);
    const { headers } = await call("GET", "/openapi.json");
    const again = await call("GET", "/openapi.json", {
      headers: { "if-none-match": headers.get("etag") ?? "" },
    });
    expect([again.status, again.text]).toEqual([304, ""]);
  });
});
