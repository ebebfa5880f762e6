/** Makes the OpenAPI 3.1 document from the routes and the schemas that check their requests. */
import { commitName } from "../../api/objects.ts";
import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { publicCodes, type ErrorCode } from "../../domain/errors.ts";
import { internalCode } from "../schemas/error-codes.ts";
import { errorResponse } from "../schemas/schemas.ts";
import { Components, type Json } from "./components.ts";
import { namesCommit } from "../responses/error-response.ts";
import { errorDocs, errorsOf, internalDocs, type ErrorDocs, type ErrorHeader } from "./errors.ts";
import {
  responseHeaders,
  branchQuery,
  minCommitQuery,
  preconditionHeaders,
  pathParameters,
  readHeaders,
  repeatHeaders,
  writeHeaders,
} from "./parameters.ts";
import { exampleOf } from "./examples.ts";
import { groups } from "../../api/groups.ts";
import type { Shown } from "../../api/operation.ts";
import { hasCommit, hasETag, isHiveWrite, type DescribedRoute } from "./route-docs.ts";
import { commitEvent, time } from "../schemas/event-schemas.ts";

const reset = z.object({ hive: z.string(), branch: z.string(), commit: commitName });

const messageOf = <T extends z.ZodType>(type: string, data: T) =>
  z.object({ type: z.literal(type), timestamp: time, data });

/** The messages to webhooks for the document, with the member names of Standard Webhooks. */
const webhookMessages = {
  commit: { summary: "Receive a commit", schema: messageOf("commit", commitEvent) },
  reset: { summary: "Receive the news that a history was rewritten", schema: messageOf("reset", reset) },
  ping: { summary: "Receive a test", schema: messageOf("ping", z.object({})) },
} as const;

const webhookHeaders = z.object({
  "webhook-id": z.string().meta({
    description: "The same each time that this is sent to this webhook.",
    examples: ["msg_web_1b2c3d4e5f60718293a4b5c6d7e8f90123456789"],
  }),
  "webhook-timestamp": z
    .string()
    .meta({ description: "When it is sent, in seconds since 1970.", examples: ["1769852400"] }),
  "webhook-signature": z.string().meta({
    description:
      "`v1,` and the base64 of HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`; the key is what follows `whsec_` in the secret, decoded from base64. While a secret is being replaced there are two, separated by a space.",
    examples: ["v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="],
  }),
});

const webhookDocs =
  "Webhooks are signed as Standard Webhooks (standardwebhooks.com) specifies. A request without a 2xx response is sent again at growing intervals, up to half an hour. The commits of one Hive arrive in order, each after the one before it was received, and the same one may arrive twice.";

const description = `
Skep is a self-hosted store for translation strings whose database is git. Each Hive is a git repository; every
accepted change is one commit.

**Authentication.** Requests to \`/api\` must have a header \`Authorization: Bearer <token>\`. Each operation names the
ability that its token must have: \`read\`, \`write\`, \`approve\` or \`admin\`, which implies the others.

**Errors** are JSON with a \`message\` for people and a stable \`code\` for programs. Most responses with status 422 also
have \`errors\`, messages by field. A request is applied completely or not at all. A method that an address does not
support gets a 405; \`HEAD\` is supported wherever \`GET\` is. Malformed HTTP requests get a 400, 408, 417 or 431 in the
same form.

**Caching and compression.** Responses to reads of a Hive have an \`ETag\`, and are
compressed (br, gzip) for clients that accept it.

**Git.** \`/hives/{slug}.git\` is a git repository for \`git clone\` and \`git fetch\`, with a token as password. The
protocol is described in gitprotocol-http(5).
`.trim();

/** @throws Error when a route's description is not complete. */
export function toDocument(routes: readonly DescribedRoute[], version: string, path = "/"): Json {
  const components = new Components();
  const responses = new Responses();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const item = (paths[toTemplate(route.path)] ??= {});
    item[route.method.toLowerCase()] = toOperation(route, components, responses);
  }
  components.toSchema(errorResponse, "output");
  return {
    openapi: "3.1.1",
    info: {
      title: "Skep",
      version,
      description,
      contact: { name: "The operator of this server" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: path }],
    tags: Object.entries(groups).map(([name, about]) => ({ name, description: about })),
    paths,
    webhooks: toWebhooks(components),
    components: {
      schemas: components.schemas,
      responses: responses.all,
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "A token from `skep token create`, with the abilities `read`, `write` or `admin`.",
        },
      },
    },
  };
}

/** The requests that this server sends to webhooks. */
function toWebhooks(components: Components): Json {
  const operations = Object.entries(webhookMessages).map(([name, { summary, schema }]) => {
    const post = {
      operationId: `receive${name[0]?.toUpperCase()}${name.slice(1)}`,
      tags: ["Events"],
      summary,
      description: webhookDocs,
      security: [],
      parameters: components.toParameters(webhookHeaders, "header"),
      requestBody: {
        required: true,
        content: toContent(shownBy(schema), "application/json", components, "output"),
      },
      responses: {
        "2XX": { description: "It is received, and will not be sent again." },
        "4XX": { description: "It will be sent again later. After a 410 nothing is sent any more." },
      },
    };
    return [name, { post }];
  });
  return Object.fromEntries(operations);
}

/** Converts a route's path to OpenAPI's notation. */
export function toTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

function toOperation(route: DescribedRoute, components: Components, responses: Responses): Json {
  const { ability, requiresAllHives = false, id, group, summary, body } = route;
  const requirement = requiresAllHives ? ", and access to all Hives of the team" : "";
  const needs =
    ability === undefined ? "No token is needed." : `Requires the **${ability}** ability${requirement}.`;
  const parameters = toParameters(route, components);
  return {
    operationId: id,
    tags: [group],
    summary,
    description: route.description === undefined ? needs : `${needs}\n\n${route.description}`,
    // Only OAuth has scopes here; the required ability is in the description.
    security: ability === undefined ? [] : [{ token: [] }],
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: body && {
      required: true,
      content: toContent(body, "application/json", components, "input"),
    },
    responses: toResponses(route, components, responses),
  };
}

function toParameters(route: DescribedRoute, components: Components): Json[] {
  const { method, path, query, headers } = route;
  const inPath = Array.from(path.matchAll(/:(\w+)/g)).flatMap(([, name = ""]) => {
    const parameter = pathParameters[name];
    if (parameter === undefined) throw new Error(`the parameter ${name} of ${path} is not described`);
    return components.toParameters(z.object({ [name]: parameter }), "path");
  });
  const others: readonly (readonly [z.ZodObject | false | undefined, "query" | "header"])[] = [
    [query, "query"],
    [route.takesBranch === true && branchQuery, "query"],
    [headers, "header"],
    [route.kind === "hive-read" && minCommitQuery, "query"],
    [hasETag(route) && readHeaders, "header"],
    [method !== "GET" && hasCommit(route) && writeHeaders, "header"],
    [isHiveWrite(route) && preconditionHeaders, "header"],
    [route.isRepeatable === true && repeatHeaders, "header"],
  ];
  return [
    ...inPath,
    ...others.flatMap(([object, place]) => (object ? components.toParameters(object, place) : [])),
  ];
}

function toResponses(route: DescribedRoute, components: Components, responses: Responses): Json {
  const { status = 200, type = "application/json", response } = route;
  const headers = {
    ...(hasETag(route) && { ETag: { ...responseHeaders.ETag, required: true } }),
    ...(hasCommit(route) && { "X-Skep-Commit": { ...responseHeaders["X-Skep-Commit"], required: true } }),
    ...(route.isRepeatable === true && {
      "Idempotency-Replayed": { ...responseHeaders["Idempotency-Replayed"], required: false },
    }),
  };
  const statuses = route.repeatedStatus === undefined ? [status] : [route.repeatedStatus, status];
  const content = toContent(shownBy(response), type, components, "output");
  return {
    ...Object.fromEntries(statuses.map((one) => [one, { description: STATUS_CODES[one], headers, content }])),
    ...(hasETag(route) && { 304: { description: "The version that the caller has is current.", headers } }),
    ...Object.fromEntries(Array.from(errorsOf(route), ([error, codes]) => [error, responses.refer(codes)])),
    500: responses.refer([]),
  };
}

function shownBy(schema: z.ZodType): Shown {
  return { schema, example: exampleOf(schema) };
}

function toContent(
  { schema, example }: Shown,
  type: string,
  components: Components,
  io: "input" | "output",
): Json {
  const { examples: _, ...described } = components.toSchema(schema, io);
  return { [type]: { schema: described, example } };
}

/** The error responses, one for each set of codes that share a status. */
class Responses {
  readonly all: Record<string, Json> = {};

  /** @param codes the codes that share a status; none for internal errors. */
  refer(codes: readonly ErrorCode[]): Json {
    const name = codes.length === 0 ? "internal" : codes.join("-or-");
    this.all[name] ??= describeErrorResponse(codes);
    return { $ref: `#/components/responses/${name}` };
  }
}

function describeErrorResponse(codes: readonly ErrorCode[]): Json {
  const described = codes.flatMap((code): [string, ErrorDocs][] => {
    const docs = errorDocs[code];
    if (docs === null) return [];
    return [[code, { ...docs, example: { code: publicCodes[code][0], ...docs.example } }]];
  });
  const isInternal = codes.length === 0;
  const docs: readonly [string, ErrorDocs][] = isInternal ? [["internal", internalDocs]] : described;
  const publicOnes = isInternal ? [internalCode] : codes.flatMap((code) => publicCodes[code]);
  const [one, ...others] = docs;
  const inHive: readonly ErrorHeader[] = codes.some(namesCommit) ? ["X-Skep-Commit"] : [];
  const names = [...inHive, ...docs.flatMap(([, { headers = [] }]) => headers)];
  const headers = names.map((name) => {
    const required = docs.every(([, own]) => own.headers?.includes(name) === true);
    return [name, { ...responseHeaders[name], required }];
  });
  return {
    description: docs.map(([, { when }]) => when).join(" Or: "),
    headers: headers.length === 0 ? undefined : Object.fromEntries(headers),
    content: {
      "application/json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/Error" },
            { type: "object", properties: { code: { type: "string", enum: publicOnes } } },
          ],
        },
        ...(one !== undefined && others.length === 0
          ? { example: one[1].example }
          : { examples: Object.fromEntries(docs.map(([code, { example }]) => [code, { value: example }])) }),
      },
    },
  };
}
