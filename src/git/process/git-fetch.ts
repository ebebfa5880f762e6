/** Makes the refs of a repository those of another one, by the installed git. */
import { toOneLine } from "../../domain/redact.ts";
import { gitEnvironment, runGit, type GitResult } from "./installed-git.ts";

export interface Fetch {
  readonly gitdir: string;
  /** The address of the other repository, without credentials. */
  readonly url: string;
  /** What it lets itself be read with. */
  readonly bearer: string;
  /** The folders of refs that are copied. */
  readonly refs: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Copies all refs with what they reach: objects first, checked as `git fsck` does, and the refs together, last.
 * @throws Error when git fails or is not installed; the signal's reason.
 */
export type FetchGit = (fetch: Fetch) => Promise<void>;

const settings = [
  "transfer.fsckObjects=true",
  "core.fsync=all",
  "core.fsyncMethod=fsync",
  // The credential is for one server only.
  "http.followRedirects=false",
  "http.lowSpeedLimit=1",
  "http.lowSpeedTime=30",
  "pack.threads=1",
].flatMap((setting) => ["-c", setting]);

const options = [
  "--quiet",
  "--force",
  "--prune",
  "--no-tags",
  "--no-write-fetch-head",
  "--no-auto-maintenance",
  "--no-show-forced-updates",
  "--recurse-submodules=no",
];

/** Which certificates are trusted. */
const passedOn = ["GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/** See {@link FetchGit}. */
export const fetchGit: FetchGit = async ({ gitdir, url, bearer, refs, timeoutMs, signal }) => {
  const env = {
    ...gitEnvironment,
    ...Object.fromEntries(
      passedOn.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])),
    ),
    GIT_ALLOW_PROTOCOL: "http:https",
    // Not as an argument, which every user of the machine could see.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "http.extraHeader",
    GIT_CONFIG_VALUE_0: `Authorization: Bearer ${bearer}`,
  };
  const refspecs = refs.map((folder) => `+${folder}/*:${folder}/*`);
  const run = async (...more: readonly string[]): Promise<GitResult> => {
    const args = [...settings, "fetch", ...options, ...more, "--", url, ...refspecs];
    const limits = { env, leadsGroup: true, signal, timeLimitMs: timeoutMs };
    const result = await runGit(gitdir, args, limits);
    if (result === undefined) throw new Error("git is not installed");
    return result;
  };
  let result = await run("--atomic");
  // One ref takes the place of the folder of others, or the other way round, which git cannot do in one step.
  if (result.code !== 0 && /cannot lock ref|cannot create/.test(result.stderr)) result = await run();
  if (result.code === 0) return;
  const why = toOneLine(result.stderr.split("\n"));
  throw new Error(`git fetch ended with ${result.code}: ${why}`);
};
