/** Members of requests as flags and arguments of commands. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { CommandValue, OperationCommand } from "../../api/command-table.ts";
import { ClientError } from "../../client/api/client-error.ts";

/** The name of a member on the command line: `custom-code`. */
export function flagName(member: string): string {
  return member.replaceAll("_", "-");
}

/** The name that commander gives the value of its flag: `customCode`. */
function optionName(member: string): string {
  return member.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function toJson({ member, takes, none }: CommandValue, value: unknown): unknown {
  if (none !== undefined && value === none) return null;
  if (takes !== "number") return value;
  const number = Number(value);
  if (!Number.isFinite(number)) throw new InvalidArgumentError(`--${flagName(member)} must be a number`);
  return number;
}

/**
 * The body of a request; undefined for one that has none.
 * @param texts the arguments behind those of the path.
 * @param option gives the value of a flag.
 * @throws InvalidArgumentError for a number that is none. The server checks the rest.
 */
export function bodyOf(
  { args, flags }: OperationCommand,
  texts: readonly string[],
  option: (name: string) => unknown,
): object | undefined {
  if (args.length + flags.length === 0) return undefined;
  const members = args.map((arg, i): [string, unknown] => [arg.member, toJson(arg, texts[i])]);
  for (const flag of flags) {
    const value = option(optionName(flag.member));
    if (value !== undefined) members.push([flag.member, toJson(flag, value)]);
  }
  return Object.fromEntries(members);
}

/** An error about members of a request, which names flags and arguments. */
export function namingFlags(error: ClientError, { args, flags }: OperationCommand): ClientError {
  const names = new Map([
    ...args.map(({ member }) => [member, `<${flagName(member)}>`] as const),
    ...flags.map(({ member }) => [member, `--${flagName(member)}`] as const),
  ]);
  const { code, status, sent, place, cause } = error;
  const nameOf = (member: string): string => names.get(member) ?? member;
  const message = error.message.replaceAll(/(?<=^|; )[a-z_]+(?=: )/g, nameOf);
  const isMisuse = status === 422 && sent?.["errors"] !== undefined;
  return new ClientError(isMisuse ? "misuse" : error.kind, message, { code, status, sent, place, cause });
}
