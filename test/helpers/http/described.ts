/** Every answer of the tests is held to the OpenAPI document: what it does not describe is a fault of one of them. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { routes } from "../../../src/http/app.ts";
import { toDocument } from "../../../src/http/openapi/document.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- a document of JSON, looked into by path
export const document: any = JSON.parse(JSON.stringify(toDocument(routes, "0.0.0")));

// Not strict: schemas of OpenAPI have keywords of its own, and so has the document around them.
// Most schemas check few values, so compiling them is most of the work: once each, and without optimisation.
const ajv = new Ajv2020({ strict: false, inlineRefs: false, code: { optimize: false } });
addFormats.default(ajv);
ajv.addSchema(document, "open");
ajv.addSchema(closed(document), "closed");

/** The same where an object has no member that is not listed: an answer must have nothing undescribed. */
// oxlint-disable-next-line typescript/no-explicit-any -- see above
function closed(value: any): any {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  // What narrows another schema lists only the members that it narrows.
  const members = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === "allOf" ? member : closed(member)]),
  );
  return "properties" in value && !("additionalProperties" in value)
    ? { ...members, additionalProperties: false }
    : members;
}

const validators = new Map<string, ValidateFunction>();

/**
 * What is wrong with a value by the schema at a place in the document, or undefined.
 * @param place the names that lead there.
 */
export function faultOf(
  value: unknown,
  place: readonly (string | number)[],
  form: "open" | "closed" = "closed",
): string | undefined {
  const pointer = place
    .map((name) => `/${encodeURIComponent(String(name).replaceAll("~", "~0").replaceAll("/", "~1"))}`)
    .join("");
  const ref = `${form}#${pointer}`;
  const validate = validators.get(ref) ?? ajv.compile({ $ref: ref });
  validators.set(ref, validate);
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

interface HeaderDocs {
  readonly required: boolean;
  readonly schema: { readonly type: string };
}

interface Asked {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body?: string | Uint8Array;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const templates = Object.keys(document.paths).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`),
}));

/**
 * What the document does not describe: git's protocol, the files of the reference's page, and
 * published files that lie deeper.
 */
const outside = /^\/(?:hives|docs)(?:\/|$)|^\/p(?:\/[^/]+){4}/;

/** @throws Error when the document does not describe this answer to this request. */
export function expectDescribed(asked: Asked, answered: Answered): void {
  const { pathname } = new URL(asked.path.replaceAll(/\/{2,}/g, "/"), "http://localhost");
  // What browsers ask before a request is no part of the API.
  const isPreflight = asked.method === "OPTIONS" && answered.status === 204;
  if (outside.test(pathname) || isPreflight) return;
  const fault = faultOfAnswer(asked, answered, pathname);
  if (fault !== undefined) {
    throw new Error(
      `${asked.method} ${asked.path}: the answer is not as the OpenAPI document has it: ${fault}\n` +
        `${answered.status} ${answered.text.slice(0, 1_000)}`,
    );
  }
}

/** Asks like `fetch`, and holds the answer to the document. */
export async function fetchDescribed(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  const { pathname, search } = new URL(url);
  const asked = {
    method: init.method ?? "GET",
    path: pathname + search,
    body: typeof init.body === "string" ? init.body : undefined,
  };
  const { status, headers } = response;
  expectDescribed(asked, { status, headers, text: await response.clone().text() });
  return response;
}

function faultOfAnswer(
  { method, path, body }: Asked,
  answered: Answered,
  pathname: string,
): string | undefined {
  const { status, headers, text } = answered;
  const template = templates.find(({ pattern }) => pattern.test(pathname))?.template;
  const operation = template === undefined ? undefined : document.paths[template][nameOf(method)];
  if (operation === undefined) return faultOutside(answered);
  const place = placeOf(template, method, operation, status);
  if (place === undefined) return `no such status is described`;
  const response = atPlace(place);
  for (const [name, { required, schema }] of Object.entries<HeaderDocs>(response.headers ?? {})) {
    const value = headers.get(name);
    if (value === null && required) return `the header ${name} is missing`;
    if (value === null) continue;
    const parsed = schema.type === "integer" ? Number(value) : value;
    const fault = faultOf(parsed, [...place, "headers", name, "schema"]);
    if (fault !== undefined) return `the header ${name}: ${fault}`;
  }
  if (response.content === undefined || method === "HEAD") return text === "" ? undefined : "it has a body";
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  const named = [type, type.replace(/\/.*/, "/*")].find((one) => response.content?.[one] !== undefined);
  if (named === undefined) return `its type is ${type}`;
  const value = type === "application/json" ? JSON.parse(text) : text;
  const fault = faultOf(value, [...place, "content", named, "schema"]);
  if (fault !== undefined) return fault;
  return status < 300 ? faultOfRequest(operation, template, path, body, method) : undefined;
}

/** A request that was answered well must be one that the document allows. */
function faultOfRequest(
  operation: {
    readonly parameters?: readonly {
      readonly name: string;
      readonly in: string;
      readonly schema: { readonly type: string };
    }[];
    readonly requestBody?: object;
  },
  template: string | undefined,
  path: string,
  body: string | Uint8Array | undefined,
  method: string,
): string | undefined {
  const at = ["paths", template ?? "", nameOf(method)];
  for (const [name, text] of new URL(path, "http://localhost").searchParams) {
    const index =
      operation.parameters?.findIndex((known) => known.in === "query" && known.name === name) ?? -1;
    const parameter = operation.parameters?.[index];
    if (parameter === undefined) return `the parameter ${name} is not described`;
    const value = toValue(text, parameter.schema.type);
    const fault = faultOf(value, [...at, "parameters", index, "schema"], "open");
    if (fault !== undefined) return `the parameter ${name}: ${fault}`;
  }
  if (body === undefined) return undefined;
  if (operation.requestBody === undefined) return "the operation takes no body";
  const fault = faultOf(
    JSON.parse(new TextDecoder().decode(Buffer.from(body))),
    [...at, "requestBody", "content", "application/json", "schema"],
    "open",
  );
  return fault === undefined ? undefined : `the request's body: ${fault}`;
}

/** A parameter as its type has it; the server takes `1` and `0` for booleans too. */
function toValue(text: string, type: string): unknown {
  if (type === "integer") return Number(text);
  if (type === "boolean") return { true: true, "1": true, false: false, "0": false }[text];
  return text;
}

function nameOf(method: string): string {
  return method === "HEAD" ? "get" : method.toLowerCase();
}

/** What is wrong with an answer where there is no operation: it is one of three errors, which the introduction tells. */
function faultOutside({ status, headers, text }: Answered): string | undefined {
  if (![400, 404, 405].includes(status)) return "no such status is described outside of operations";
  if (status === 405 && !headers.has("allow")) return "the header Allow is missing";
  return text === "" ? undefined : faultOf(JSON.parse(text), ["components", "schemas", "Error"]);
}

/** Where the document has the answer. */
function placeOf(
  template: string | undefined,
  method: string,
  operation: { readonly responses: Readonly<Record<string, object>> },
  status: number,
): string[] | undefined {
  const response = operation.responses[status];
  if (response === undefined || template === undefined) return undefined;
  return "$ref" in response && typeof response.$ref === "string"
    ? response.$ref.split("/").slice(1)
    : ["paths", template, nameOf(method), "responses", String(status)];
}

// oxlint-disable-next-line typescript/no-explicit-any -- see above
function atPlace(place: readonly string[]): any {
  return place.reduce((value, name) => value[name], document);
}
