/** Logs requests. */
import { clientOf, type TrustedProxies } from "../http/requests/client-address.ts";
import type { RequestObserver, Trace } from "../http/requests/trace.ts";
import type { ServerLog } from "./server-log.ts";

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
      // Followers ask all the time, and wait for changes.
      const isOfFollower = trace.findings.route?.startsWith("/api/replication") === true;
      const isQuiet = status < 400 && (isOfFollower || (ms < slowMs && reading.has(trace.method)));
      if (isQuiet && !log.logsDebug) return;
      const client = clientOf(trace.node, trustProxy);
      const fields = { ...toFields(trace, status, ms), client };
      if (isQuiet) log.debug(fields, "request");
      else if (status >= 500) log.warn(fields, "request");
      else log.info(fields, ms < slowMs ? "request" : "slow request");
    },
  };
}

function toFields({ id, method, target, findings }: Trace, status: number, ms: number) {
  const { route, token, person, hive, branch, commit, code } = findings;
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
