/** Makes the refs of a repository equal to another's, by the installed git. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isOid, type Oid } from "../../domain/names.ts";
import { toOneLine } from "../../domain/redact.ts";
import { gitEnvironment, runGit, type GitResult } from "./installed-git.ts";

export interface Fetch {
  readonly gitdir: string;
  /** The address of the other repository, without credentials. */
  readonly url: string;
  /** What it lets itself be read with. */
  readonly bearer: string;
  /** The folders of refs that are copied. */
  readonly folders: readonly string[];
  /** The refs that are here in these folders. */
  readonly refs: () => Promise<ReadonlyMap<string, Oid>>;
  /**
   * Called when branches here have tips that no branch there reaches, with these branches, before any ref moves. What it
   * throws leaves all refs as they are; otherwise the tips are kept in {@link lostRefs}.
   */
  readonly losing: (branches: readonly string[]) => Promise<void>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Copies all refs with what they reach: objects first, checked as `git fsck` does, and the refs together, last.
 * @throws Error when git fails or is not installed; the signal's reason; what `losing` throws.
 */
export type FetchGit = (fetch: Fetch) => Promise<void>;

const branchesFolder = "refs/heads";
/** Where the tips are that a fetch would have lost: a ref `<branch>/<commit>` for each. */
const lostRefs = "refs/skep/lost";

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

const options = ["--quiet", "--no-tags", "--no-auto-maintenance", "--recurse-submodules=no"];

/** Whether git failed to move a ref, and to nothing else. */
const isRefused = ({ code, stderr }: GitResult): boolean =>
  code === 1 || /cannot lock ref|cannot create/.test(stderr);

/** Which certificates are trusted. */
const passedOn = ["GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_FILE", "SSL_CERT_DIR"];

const forced = (folder: string): string => `+${folder}/*:${folder}/*`;
/** Git moves no branch to a commit that does not reach its tip, unless it is forced to. */
const unforced = (folder: string): string => forced(folder).slice(folder === branchesFolder ? 1 : 0);

/** See {@link FetchGit}. */
export const fetchGit: FetchGit = async (fetch) => {
  const { gitdir, url, bearer, folders, refs, losing, timeoutMs, signal } = fetch;
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
  const run = async (args: readonly string[], mayBeRefused = false): Promise<GitResult> => {
    const limits = { env, leadsGroup: true, signal, timeLimitMs: timeoutMs };
    const result = await runGit(gitdir, [...settings, ...args], limits);
    if (result === undefined) throw new Error("git is not installed");
    const { code, stderr } = result;
    if (code === 0 || (mayBeRefused && isRefused(result))) return result;
    throw new Error(`git ${args[0] ?? ""} ended with ${code}: ${toOneLine(stderr.split("\n"))}`);
  };
  /** @returns whether all refs were moved; otherwise none was. */
  const copyAtOnce = async (refspec: (folder: string) => string, ...more: readonly string[]) =>
    (await run(fetching(refspec, "--atomic", ...more), true)).code === 0;
  const fetching = (refspec: (folder: string) => string, ...more: readonly string[]): readonly string[] => {
    const refspecs = folders.map(refspec);
    return ["fetch", ...options, ...more, "--", url, ...refspecs];
  };

  const before = await refs();
  if (before.size > 0) {
    const isCopied = await copyAtOnce(unforced);
    // Nothing was removed: if the other repository has as many refs, they are the same.
    if (isCopied && (await fetchedOids(gitdir)).length === (await refs()).size) return;
    const { stdout: listed } = await run(["ls-remote", "--", url, ...folders.map((folder) => `${folder}/*`)]);
    const lines = listed.split("\n").filter((line) => line !== "");
    const names = lines.map((line) => line.slice(41)).filter((name) => !name.startsWith("refs/tags/"));
    // The objects alone.
    await run(["fetch", ...options, "--", url, ...names]);
    const there = new Set(lines.map((line) => line.slice(0, 40)).filter(isOid));
    const tips = [...before].filter(
      ([name, oid]) => name.startsWith(`${branchesFolder}/`) && !there.has(oid),
    );
    // With an empty list, git would print how it is used.
    const oids = tips.length === 0 ? [] : [...tips.map(([, oid]) => oid), "--not", ...there];
    const unreached = oids.length === 0 ? "" : (await run(["rev-list", "--ignore-missing", ...oids])).stdout;
    const lost = tips.filter(([, oid]) => unreached.includes(oid));
    if (lost.length > 0) await losing(lost.map(([name]) => name.slice(branchesFolder.length + 1)));
    for (const [name, oid] of lost) {
      await run(["update-ref", `${lostRefs}${name.slice(branchesFolder.length)}/${oid}`, oid]);
    }
  }
  // One ref takes the place of the folder of others, or the other way round, which git cannot do in one step.
  if (!(await copyAtOnce(forced, "--prune"))) await run(fetching(forced, "--prune"));
};

/** The objects of all refs that were fetched last. */
async function fetchedOids(gitdir: string): Promise<readonly Oid[]> {
  const lines = (await readFile(join(gitdir, "FETCH_HEAD"), "utf8")).split("\n");
  return lines.map((line) => line.slice(0, 40)).filter(isOid);
}
