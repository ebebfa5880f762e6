/** The log of the server on stderr: one JSON object a line, or text for people; and what it tells of requests. */
import type { logLevels } from "../config/settings.ts";
import { withoutCredentials } from "../domain/redact.ts";
import type { Log, LogFields } from "../log.ts";
import { clientOf, type TrustedProxies } from "../http/requests/client-address.ts";
import type { RequestObserver, Trace } from "../http/requests/trace.ts";

export interface ServerLog extends Log {
  warn(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
  readonly logsDebug: boolean;
  /** Whether the log is text for people. */
  readonly isPretty: boolean;
  /** Writes at once what is still buffered. */
  readonly flush: () => void;
}

export interface LogOptions {
  readonly level: (typeof logLevels)[number];
  readonly format: "auto" | "json" | "pretty";
  /** Defaults to stderr. */
  readonly fd?: number;
}

const stderr = 2;
/** When stderr is not read, lines beyond this are dropped, so that they do not fill the memory. */
const maxBufferedBytes = 8 * 1024 * 1024;

/**
 * Opens the log. Lines are written in the background; whoever ends the process calls `flush`. What may be a credential is
 * removed from texts, because messages of git and the system may contain some.
 */
export async function createServerLog({ level, format, fd = stderr }: LogOptions): Promise<ServerLog> {
  const isPretty = format === "pretty" || (format === "auto" && process.stderr.isTTY);
  const { pino, stdTimeFunctions } = await import("pino");
  const { stream, flush } = isPretty ? await openPretty(fd) : await openLines(fd);
  const logger = pino(
    {
      level,
      messageKey: "message",
      // The default would log the name of the machine.
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return {
    error: (fields, message) => logger.error(harmless(fields), message),
    warn: (fields, message) => logger.warn(harmless(fields), message),
    info: (fields, message) => logger.info(harmless(fields), message),
    debug: (fields, message) => logger.debug(harmless(fields), message),
    logsDebug: logger.isLevelEnabled("debug"),
    isPretty,
    flush,
  };
}

async function openLines(fd: number) {
  const { destination } = await import("pino");
  const lines = destination({
    dest: fd,
    sync: false,
    maxLength: maxBufferedBytes,
  });
  // The server goes on when stderr is closed, as by a terminal.
  lines.on("error", () => {});
  const flush = (): void => {
    try {
      lines.flushSync();
    } catch {
      // stderr is closed.
    }
  };
  return { stream: lines, flush };
}

async function openPretty(fd: number) {
  const { build } = await import("pino-pretty");
  const stream = build({
    destination: fd,
    sync: true,
    colorize: process.stderr.isTTY,
    messageKey: "message",
    translateTime: "SYS:HH:MM:ss.l",
  });
  return { stream, flush: () => {} };
}

function harmless(fields: LogFields): LogFields {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    result[name] = typeof value === "string" ? withoutCredentials(value) : value;
  }
  return result;
}

const slowMs = 1_000;
/** OPTIONS is among them because browsers send it before requests to other origins. */
const reading = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Logs requests: writes, refusals and slow ones at `info` (`warn` from 500 on), successful reads at `debug`, because
 * writing a line takes longer than answering a repeated read. Headers and query strings are never logged.
 */
export function logRequests(log: ServerLog, trustProxy: TrustedProxies | undefined): RequestObserver {
  return {
    responded: (trace, status, ms = 0) => {
      const isQuiet = status < 400 && ms < slowMs && reading.has(trace.method);
      if (isQuiet && !log.logsDebug) return;
      const client = clientOf(trace.node, trustProxy);
      const fields = { ...toFields(trace, status, ms), client };
      if (isQuiet) log.debug(fields, "request");
      else if (status >= 500) log.warn(fields, "request");
      else log.info(fields, ms < slowMs ? "request" : "slow request");
    },
  };
}

function toFields({ id, method, target, fields }: Trace, status: number, ms: number) {
  const { route, token, person, hive, branch, commit, code } = fields;
  return {
    request_id: id,
    method,
    route,
    path: pathOf(target),
    status,
    ms: Math.round(ms * 1000) / 1000,
    token,
    person,
    hive,
    branch,
    commit,
    code,
  };
}

/** The path of a request target, which may be a whole URL: a password in it must not be logged. */
function pathOf(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
}
