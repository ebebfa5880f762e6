/** Sends the request of a command, and prints what it is answered with. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { z } from "zod";
import type { NounCommands, OperationCommand } from "../../api/command-table.ts";
import type { NounName } from "../../api/nouns.ts";
import { ClientError } from "../../client/api/client-error.ts";
import { type HttpClient, pageOf } from "../../client/api/http.ts";
import { isConfirmed } from "../client/client-command.ts";
import { bodyOf, namingFlags } from "./members.ts";
import { onMachine } from "./nouns.ts";
import { atTarget, type Opened, type TargetedFlags } from "./open-target.ts";
import { withSecrets } from "./secrets.ts";
import { printAll, printDone, textOf } from "./results.ts";

interface OperationFlags extends TargetedFlags {
  readonly yes?: boolean;
  readonly branch?: string;
}

interface Run {
  readonly name: NounName;
  readonly noun: NounCommands;
  readonly operation: OperationCommand;
  readonly command: CommandUnknownOpts;
  /** The names of the settings that it has flags for. */
  readonly settings: readonly string[];
  /** Whether it asks before it sends the request, unless the flag is given that answers. */
  readonly isAsked: boolean;
}

/** What is known of answers here: they are printed as they come. */
const entity = z.record(z.string(), z.unknown());

/** @throws ClientError as {@link atTarget} does; `misuse` when a question has no answer. */
export async function runOperation(run: Run): Promise<void> {
  const { name, noun, operation, command, settings } = run;
  // The flags were declared from the same table.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const flags = command.opts() as unknown as OperationFlags;
  const { load } = onMachine[name];
  const called = `${noun.noun} ${operation.name}`;
  try {
    await atTarget({ command, settings, load, called }, flags, (opened) => send(run, flags, opened));
  } catch (error) {
    throw error instanceof ClientError ? namingFlags(error, operation) : error;
  }
}

async function send(run: Run, flags: OperationFlags, { http, place }: Opened): Promise<void> {
  const { noun, operation, command, isAsked } = run;
  const { params, method, verb } = operation;
  const texts: readonly string[] = command.args;
  // What a query names is deleted by its argument.
  const id = texts[params.length - 1 + (operation.sendsQuery === true ? operation.args.length : 0)] ?? "";
  let next = 0;
  const path = operation.path.replaceAll(/:\w+/g, () => encodeURIComponent(texts[next++] ?? ""));
  const given = bodyOf(
    operation,
    texts.slice(params.length),
    (name) => command.getOptionValue(name),
    Date.now(),
  );
  const body = given && (await withSecrets(operation, given, "storage" in place));
  const at = operation.takesBranch === true ? { branch: flags.branch } : {};
  if (verb === "list") {
    const query = { ...queryOf(body), ...at };
    return printAll(noun, await listed(http, path, operation.isPaged, query), flags.json);
  }
  const server = "server" in place ? place.server : undefined;
  if (isAsked && flags.yes !== true) {
    const data = await found(http, noun, { path, id, query: at });
    const on = server === undefined ? "" : ` on ${server}`;
    const { [noun.label]: label } = data;
    const known = label === null || label === undefined || label === id ? "" : ` (${textOf(label)})`;
    const question = `Delete the ${noun.called ?? noun.noun} ${id}${known}${on}?`;
    const { json } = flags;
    const refusal = `${question} Add --yes to do it.`;
    const [asked, word] =
      operation.asksName === true ? [`${question} Type ${id} to do it`, id] : [question, undefined];
    if (!(await isConfirmed({ yes: false, json }, asked, refusal, word))) return;
  }
  if (verb === "edit" && Object.keys(body ?? {}).length === 0) throw nothingToChange(operation);
  // A second POST would make a second token, or replace the secret whose only showing was lost.
  const isRepeatable = method !== "POST";
  const content =
    operation.sendsQuery === true ? { query: { ...queryOf(body), ...at } } : { query: at, body };
  const sent = { method, path, ...content, schema: entity, hasCommit: false, isRepeatable } as const;
  const { data } = await http.send(sent);
  printDone(noun, operation, {
    entity: data,
    id: textOf(data[noun.names ?? "id"] ?? id),
    json: flags.json,
    where: server,
  });
}

function nothingToChange({ flags }: OperationCommand): ClientError {
  const names = flags.map(({ name }) => `--${name}`);
  return new ClientError("misuse", `There is nothing to change: give ${names.join(", ")}.`);
}

type ApiQuery = Readonly<Record<string, string | undefined>>;

/** Values as parameters of a query. */
function queryOf(values: object = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/**
 * One of a noun, of which a question tells: by its address, or in the whole list where it has none. Nothing is known of what
 * cannot be read, and of what the list has by another name.
 */
async function found(
  http: HttpClient,
  { path: all, names = "id", label, commands }: NounCommands,
  { path, id, query }: Readonly<Record<"path" | "id", string>> & { readonly query: ApiQuery },
): Promise<z.output<typeof entity>> {
  if (commands.some(({ verb }) => verb === "show")) {
    try {
      return (await http.send({ method: "GET", path, query, schema: entity, hasCommit: false })).data;
    } catch (error) {
      if (error instanceof ClientError && error.code === "content_invalid") return {};
      throw error;
    }
  }
  if (!commands.some(({ verb }) => verb === "list")) return {};
  const inList = path.split("/").slice(0, all.split("/").length).join("/");
  return (
    (await listed(http, inList, false, query)).find((one) => one[names] === id || one[label] === id) ?? {}
  );
}

async function listed(
  http: HttpClient,
  path: string,
  isPaged: boolean,
  query: ApiQuery,
): Promise<readonly z.output<typeof entity>[]> {
  if (!isPaged) {
    const schema = z.object({ data: z.array(entity) });
    return (await http.send({ method: "GET", path, query, schema, hasCommit: false })).data.data;
  }
  const all: z.output<typeof entity>[] = [];
  for await (const { data } of http.pages(path, () => query, pageOf(entity), { hasCommit: false }))
    all.push(...data.data);
  return all;
}
