/** Where a database is: reads its address, and connects to one of its machines. */
import { readFile } from "node:fs/promises";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { failure, messageOf, SkepError } from "../../domain/errors.ts";
import { faultOf } from "./faults.ts";

/** How a database is reached, as flags and settings give it. */
export interface DatabaseOptions {
  /** `postgres://user@host1,host2:5433/name`; a socket as `postgres:///name?host=/run/postgresql`. */
  readonly url: string;
  /** A file with the password, which is read for every connection. */
  readonly passwordFile?: string;
  /** A file with the certificates to trust, instead of those that Node trusts. */
  readonly caFile?: string;
  /** How many connections there may be at once. */
  readonly connections?: number;
  /** How long an operation may take with all its retries, in milliseconds. */
  readonly withinMs?: number;
}

/** One machine, or the path of a socket. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

export interface Address {
  readonly hosts: readonly Host[];
  readonly user: string;
  readonly database: string;
  readonly password: () => Promise<string>;
  readonly ca: () => Promise<string | undefined>;
}

const defaultPort = 5432;
/** How long connecting to one machine may take. */
export const connectMs = 3_000;
/** In how many seconds an operator may have repaired what makes connections impossible. */
const repairedAfter = 30;
/** Says in messages that a machine does not answer. */
export const silence = "it does not answer";
/** Parameters of an address that are accepted, because Skep behaves like this in any case. */
const impliedParameters = new Map([
  ["sslmode", ["require", "verify-ca", "verify-full"]],
  ["target_session_attrs", ["read-write", "primary"]],
]);

/** Reads an address. @throws SkepError `malformed` that says what is wrong with it; it never shows a password. */
export function parseAddress({ url, passwordFile, caFile }: DatabaseOptions): Address {
  const [, user = "", secret, places = "", name = "", query = ""] =
    /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?@]*)(?:\/([^/?]*))?(?:\?(.*))?$/.exec(url) ?? [];
  if (!/^postgres(ql)?:/.test(url) || decoded(name) === "") {
    throw wrong("it is to be as postgres://user@host/name");
  }
  const parameters = new URLSearchParams(query);
  const hosts = (parameters.get("host") ?? places).split(",").map(parseHost);
  for (const [parameter, value] of parameters) {
    if (parameter === "host") continue;
    if (impliedParameters.get(parameter)?.includes(value) === true) continue;
    // Only on this machine: elsewhere, anybody between the machines could read everything.
    if (parameter === "sslmode" && value === "disable" && hosts.every(isLocal)) continue;
    const why =
      parameter === "sslmode" ? "connections to other machines are encrypted and verified" : "unknown";
    throw wrong(`${parameter}=${value} is not possible (${why})`);
  }
  return {
    hosts,
    user: decoded(user) || "skep",
    database: decoded(name),
    password: async () =>
      passwordFile === undefined ? decoded(secret ?? "") : (await readSecret(passwordFile)).trimEnd(),
    ca: async () => (caFile === undefined ? undefined : readSecret(caFile)),
  };
}

/** Reads a file that connections need. @throws SkepError `record-unavailable`. */
async function readSecret(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw refused(`A file for connections to the database cannot be read: ${messageOf(error)}.`, error);
  }
}

/** The error for a fault that an operator has to repair. */
export function refused(message: string, cause: unknown): SkepError<"record-unavailable"> {
  return new SkepError(
    "record-unavailable",
    message,
    { retryAfter: repairedAfter, problem: faultOf(cause)?.problem },
    { cause },
  );
}

function parseHost(text: string): Host {
  const [, ipv6, name = "", port = String(defaultPort)] =
    /^(?:\[([0-9a-fA-F:]+)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  const host = decoded(ipv6 ?? name) || "localhost";
  if (Number(port) < 1 || Number(port) > 65_535) throw wrong(`there is no port ${port}`);
  return { host, port: Number(port) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong("a % in it stands for no character; write %25");
  }
}

function wrong(why: string): Error {
  return failure("malformed", `The address of the database is wrong: ${why}.`);
}

/** Whether connections stay on this machine, so that nobody else can read what is sent. */
function isLocal({ host }: Host): boolean {
  return (
    host.startsWith("/") ||
    host === "localhost" ||
    host === "::1" ||
    (isIP(host) === 4 && host.startsWith("127."))
  );
}

/** The name of a machine for messages. */
export function nameOf({ host, port }: Host): string {
  return host.startsWith("/") ? host : `${host}:${port}`;
}

/**
 * Connects to a machine. Connections to other machines use TLS, and the certificate is verified.
 * @param until when this gives up, on the clock of `performance.now()`.
 * @throws Error whose message names the machine and the fault.
 */
export async function connectTo(
  at: Host,
  ca: string | undefined,
  until = performance.now() + connectMs,
): Promise<Socket> {
  const path = `${at.host}/.s.PGSQL.${at.port}`;
  const socket = at.host.startsWith("/") ? connect(path) : connect({ host: at.host, port: at.port });
  // Its user listens to errors later; until then a reset is no uncaught error, only the end of the connection.
  socket.on("error", () => undefined);
  try {
    await inTime(socket, "connect", until);
    socket.setKeepAlive(true, 10_000).setNoDelay(true);
    if (isLocal(at)) return socket;
    return await encrypted(socket, at, ca, until);
  } catch (error) {
    socket.destroy();
    throw new Error(`${nameOf(at)}: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  // Where a name has several addresses, the failures of all are in one error without a message.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}

async function encrypted(
  socket: Socket,
  { host }: Host,
  ca: string | undefined,
  until: number,
): Promise<TLSSocket> {
  // The request for TLS of PostgreSQL's protocol; the answer is one byte.
  socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
  await inTime(socket, "readable", until);
  if (String(socket.read(1)) !== "S")
    throw new Error("it does not offer TLS, which other machines are asked for");
  const tls = connectTls({ socket, ca, host, servername: isIP(host) === 0 ? host : undefined });
  await inTime(tls, "secureConnect", until);
  return tls;
}

function inTime(
  socket: Socket,
  event: "connect" | "readable" | "secureConnect",
  until: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(new Error(silence)), until - performance.now());
    const end = (error?: Error): void => {
      clearTimeout(timer);
      socket.off(event, onEvent).off("error", end).off("close", onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onEvent = (): void => end();
    const onClose = (): void => end(new Error("it ended the connection"));
    socket.once(event, onEvent).once("error", end).once("close", onClose);
  });
}
