/** What is declared once shows everywhere: a member is added to a copy of an operation, and found in all that uses it. */
import { jsx } from "hono/jsx";
import { beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { allCommands, commandsOf, type OperationCommand } from "../../src/api/command-table.ts";
import { nouns } from "../../src/api/nouns.ts";
import { withExample, type Operation } from "../../src/api/operation.ts";
import { webhooks } from "../../src/api/webhooks.ts";
import { bodyOf } from "../../src/commands/operations/members.ts";
import { groupOf } from "../../src/commands/operations/operation-command.ts";
import { toTeamName } from "../../src/domain/names.ts";
import { OperationForm } from "../../src/http/console/parts/operation-form.tsx";
import { ForReader } from "../../src/http/console/requests/context.tsx";
import { linksFrom } from "../../src/http/console/requests/links.ts";
import { routes } from "../../src/http/app.ts";
import { answersOwner, type AnswerOwner } from "../../src/http/in-process.ts";
import { toDocument } from "../../src/http/openapi/document.ts";
import { implement, routesOf } from "../../src/http/operations/implement.ts";
import type { Storage } from "../../src/service/storage.ts";
import { defaults } from "../../src/config/settings.ts";
import { appOn, makeHive, memoryStorage } from "../helpers/storage.ts";

const { addWebhook } = webhooks.operations;
const body = addWebhook.body?.schema.extend({
  batch_size: z.int().optional().meta({ description: "How many commits one message has." }),
});
if (body === undefined) throw new Error("the operation takes nothing");

const response = z.object({ id: z.string(), batch_size: z.int().nullable() }).meta({ id: "Copied" });
const shown = { url: "https://ci.example.org/skep", batch_size: 5 };
const copied = {
  ...webhooks,
  operations: { addWebhook: { ...addWebhook, body: withExample(body, shown), response, errors: [] } },
};
const implemented = implement(
  copied,
  { addWebhook: async (request) => ({ result: { id: "w1", batchSize: request.body.batch_size } }) },
  async () => toTeamName("acme"),
);

let storage: Storage;
let answer: AnswerOwner;

beforeEach(async () => {
  storage = memoryStorage();
  await makeHive(storage, "web");
  answer = answersOwner({ ...defaults, storage, log: { error: () => {} } }, "webhook create");
});

it("the route checks it, and hands it to the handler", async () => {
  const [team] = await storage.registry.teams();
  if (team === undefined) throw new Error("there is no team");
  const send = async (sent: object) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(sent) };
    const request = new Request("http://storage.invalid/api/webhooks", init);
    const answered = await answer(implemented.routes.addWebhook, { params: {}, request }, team);
    return [answered.status, await answered.json()];
  };
  expect(await send(shown)).toEqual([201, { id: "w1", batch_size: 5 }]);
  expect(await send({ ...shown, batch_size: "5" })).toEqual([
    422,
    expect.objectContaining({ errors: { batch_size: [expect.any(String)] } }),
  ]);
});

it("the document has it", () => {
  const document = JSON.stringify(toDocument(routesOf(implemented), "1"));
  const member = { description: "How many commits one message has.", type: "integer" };
  expect(document.includes(JSON.stringify(member).slice(1, -1))).toBe(true);
});

const [command] = commandsOf(copied).commands;

it("the client sends it", () => {
  const given: Readonly<Record<string, unknown>> = { batchSize: "5", hive: "all" };
  expect(bodyOf(command as OperationCommand, [shown.url], (name) => given[name], 0)).toEqual({
    ...shown,
    hive: null,
  });
  expect(() => bodyOf(command as OperationCommand, [shown.url], () => "five", 0)).toThrow(
    "--batch-size must be a number",
  );
});

it("the help of the command names it", () => {
  const create = groupOf("webhook", commandsOf(copied)).commands.find((one) => one.name() === "create");
  expect(create?.helpInformation()).toMatch(/--batch-size <n> +How many commits one message has\./);
});

it("the form has a field for it", async () => {
  const form = jsx(OperationForm, {
    page: { implemented, path: "team/webhooks" },
    offers: { hives: ["web"], abilities: [], reviews: [] },
    submitted: undefined,
  });
  const session = { formKey: "k", caller: { principal: { abilities: [], hives: "all" }, team: undefined } };
  const html = String(jsx(ForReader, { link: linksFrom("/team/webhooks"), session }, form));
  expect(html).toMatch(/<input(?=[^>]* name="batch_size")(?=[^>]* type="number")/);
});

it("every noun has commands, each with a name of its own", async () => {
  const all = await allCommands();
  expect(all.map(({ noun }) => noun)).toEqual(Object.keys(nouns));
  for (const { commands } of all) {
    const names = commands.flatMap(({ name, was = [] }) => [name, was].flat());
    expect(new Set(names).size).toBe(names.length);
  }
});

it("every argument and flag is described, and not by its name alone", async () => {
  const values = (await allCommands()).flatMap(({ noun, commands }) =>
    commands.flatMap(({ name, args, flags }) =>
      [...args, ...flags].map((value) => [`${noun} ${name} ${value.name}`, value.help] as const),
    ),
  );
  expect(values.length).toBeGreaterThan(100);
  expect(values.filter(([, help]) => !help.includes(" "))).toEqual([]);
});

it("nothing that comes over a socket is taken for the owner", async () => {
  const { app } = appOn(storage);
  const path = "http://storage.invalid/api/webhooks";
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    "accept-encoding": "br, gzip",
  };
  const sent = { method: "POST", headers, body: JSON.stringify({ url: shown.url }) };
  expect((await app.fetch(new Request(path, sent))).status).toBe(401);
  const owner = {
    ...headers,
    command: "webhook create",
    "x-skep-owner": "1",
    "x-skep-command": "webhook create",
  };
  expect((await app.fetch(new Request(path, { ...sent, headers: owner }))).status).toBe(401);
});

it("an operation says that it has dry runs, unless its answer says by itself what would be", () => {
  const declared = routes.flatMap((route) => ("operation" in route ? [route.operation as Operation] : []));
  const asked = declared.filter(({ query }) => query !== undefined && "dry_run" in query.shape);
  const said = declared.filter(({ hasDryRun }) => hasDryRun === true);
  expect(said.length).toBeGreaterThan(0);
  expect(asked.map(({ id }) => id).filter((id) => id !== "startTranslation")).toEqual(
    said.map(({ id }) => id),
  );
});

it("dry runs are asked for by the query of each operation that has them, also by one of its own", () => {
  const withDryRuns = routes.filter((route) => "hasDryRun" in route && route.hasDryRun === true);
  expect(withDryRuns.length).toBeGreaterThan(10);
  for (const { id, query } of withDryRuns) expect(Object.keys(query?.shape ?? {}), id).toContain("dry_run");
});
