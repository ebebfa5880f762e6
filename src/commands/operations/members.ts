/** Members of requests as flags and arguments of commands. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { CommandValue, OperationCommand } from "../../api/command-table.ts";
import type { Pair } from "../../api/members.ts";
import { isRecord } from "../../domain/record.ts";
import { toDuration } from "../program/arguments.ts";
import { ClientError } from "../../client/api/client-error.ts";

/** The name that commander gives the value of a flag: `customCode`. */
function optionName(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * A time in JSON.
 * @param text a time, or a span that begins now.
 * @param now in milliseconds since 1970.
 * @throws InvalidArgumentError for what is neither.
 */
export function toTime(text: string, now: number): string {
  if (/^[0-9]+[a-z]+$/.test(text)) return new Date(now + toDuration(text)).toISOString();
  if (!Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError("It must be a time, or a span such as 90d.");
}

/** A pair as an object, and the first of one that may stand alone as a text. */
function toPair(text: unknown, [first, second]: Pair["names"]): unknown {
  const [one, other] = parts(text);
  return other === undefined ? text : { [first]: one, [second]: other };
}

/** What stands before and behind the last `=` of a text; the whole text where there is none. */
function parts(given: unknown): readonly [string, string?] {
  const text = String(given);
  const at = text.lastIndexOf("=");
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function toJson({ name, takes, none, whole, pair }: CommandValue, value: unknown, now: number): unknown {
  const [only, ...others] = [value].flat();
  if (others.length === 0 && whole !== undefined && only === whole) return whole;
  if (others.length === 0 && none !== undefined && only === none) return null;
  if (pair?.areMembers === true) return Object.fromEntries([value].flat().map((one) => parts(one)));
  if (pair !== undefined)
    return Array.isArray(value) ? value.map((one) => toPair(one, pair.names)) : toPair(value, pair.names);
  if (takes === "time" && typeof value === "string") return toTime(value, now);
  if (takes !== "number") return value;
  const number = Number(value);
  if (!Number.isFinite(number)) throw new InvalidArgumentError(`--${name} must be a number`);
  return number;
}

/**
 * The body of a request; undefined for one that has none.
 * @param texts the arguments behind those of the path.
 * @param option gives the value of a flag.
 * @param now in milliseconds since 1970, from which spans of time count.
 * @throws InvalidArgumentError for a number or a span of time that is none. The server checks the rest.
 */
export function bodyOf(
  { args, flags }: OperationCommand,
  texts: readonly string[],
  option: (name: string) => unknown,
  now: number,
): object | undefined {
  if (args.length + flags.length === 0) return undefined;
  const members = args.map((arg, i): [string, unknown] => [arg.member, toJson(arg, texts[i], now)]);
  const body: Record<string, unknown> = Object.fromEntries(members);
  for (const flag of flags) {
    const value = option(optionName(flag.name));
    if (value === undefined) continue;
    const { member, within } = flag;
    const json = toJson(flag, value, now);
    if (within === undefined) body[member] = json;
    else body[within] = { ...(isRecord(body[within]) ? body[within] : {}), [member]: json };
  }
  return body;
}

/** By what names a command has the members of its request. */
interface Named extends Pick<OperationCommand, "params"> {
  readonly args: readonly Pick<OperationCommand["args"][number], "member" | "name">[];
  readonly flags: readonly Pick<OperationCommand["flags"][number], "within" | "member" | "name">[];
}

/** An error about members of a request, which names flags and arguments. */
export function namingFlags(error: ClientError, { params, args, flags }: Named): ClientError {
  const names = new Map([
    ...params.map(([param]) => [param, `<${param}>`] as const),
    ...args.map(({ member, name }) => [member, `<${name}>`] as const),
    ...flags.map(
      ({ member, within, name }) => [[within, member].filter(Boolean).join("."), `--${name}`] as const,
    ),
  ]);
  const { code, status, sent, place, cause } = error;
  // Of an element of a list, only the flag is named: each element is given by itself.
  const nameOf = (path: string, member: string): string =>
    names.get(member) ?? names.get(path.split(".").slice(0, 2).join(".")) ?? path;
  const message = error.message.replaceAll(/(?<=^|; )([a-z_]+)(?:\.\w+)*(?=: )/g, nameOf);
  const isMisuse = status === 422 && sent?.["errors"] !== undefined;
  return new ClientError(isMisuse ? "misuse" : error.kind, message, { code, status, sent, place, cause });
}
