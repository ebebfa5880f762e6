/**
 * Pushes to a mirror by the installed git, with the credentials of the user that runs Skep.
 *
 * Unlike the closed environment of installed-git.ts, the environment of a push lets git find the user's credential
 * helpers, ssh keys and agents, certificates and proxies. Nothing else is passed on: neither Skep's own settings, nor
 * variables that would point git to another repository, make it prompt, or make it write traces with credentials.
 */
import type { MirroredBranch, PushOutcome } from "../../domain/hives/mirror.ts";
import { protocolOf, type MirrorProtocol, type MirrorUrl } from "../../domain/hives/mirror-url.ts";
import type { Oid } from "../../domain/names.ts";
import { toOneLine } from "../../domain/redact.ts";
import { isFailure } from "../../domain/errors.ts";
import { GitEnded, ownObjectsOnly, runGit, type GitResult } from "./installed-git.ts";

export interface Push {
  /** The Hive's repository. */
  readonly gitdir: string;
  readonly url: MirrorUrl;
  readonly commit: Oid;
  /** Whether to push all branches, as they are when git reads them, and not main alone. */
  readonly branches: boolean;
  /** The branches that are deleted from the mirror, as far as they are still where Skep pushed them. */
  readonly gone: readonly MirroredBranch[];
  readonly signal: AbortSignal;
}

/** Pushes main or all branches, and all tags, to a mirror, never by force; before that, deletes what is gone. */
export type PushGit = (push: Push) => Promise<PushOutcome>;

export interface GitPushOptions {
  readonly timeoutMs?: number;
  readonly environment?: NodeJS.ProcessEnv;
}

/** The environment variables that git, ssh and credential helpers need to act for this user. */
const passedOn = [
  "PATH",
  // Where git's settings, netrc, ssh keys and the stores of credential helpers are.
  "HOME",
  "USER",
  "LOGNAME",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_RUNTIME_DIR",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  // How helpers reach agents and key rings.
  "SSH_AUTH_SOCK",
  "DBUS_SESSION_BUS_ADDRESS",
  // Which certificates are trusted.
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
] as const;

/** The way out of a closed network. Never used for http, which must not leave the machine. */
const proxies = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"] as const;

/** The user may have https addresses rewritten to ssh, and the other way round (`url.<base>.insteadOf`). */
const allowedProtocols: Record<MirrorProtocol, string> = {
  https: "https:ssh",
  ssh: "https:ssh",
  http: "http",
  file: "file",
};

/**
 * Added to the user's `GIT_SSH_COMMAND`, which git prefers to `core.sshCommand`; other settings for ssh belong into
 * `~/.ssh/config`. A remote that stops answering ends the push even if Skep was killed.
 */
const sshOptions = "-o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15 -o ServerAliveCountMax=4";
const settings = [
  "http.followRedirects=false",
  "http.lowSpeedLimit=1",
  "http.lowSpeedTime=120",
  "credential.interactive=false",
  "push.pushOption=",
];

const defaultTimeoutMs = 10 * 60_000;

/** Makes a {@link PushGit} that runs the installed git. */
export function gitPush({
  timeoutMs = defaultTimeoutMs,
  environment = process.env,
}: GitPushOptions = {}): PushGit {
  return async ({ signal, ...push }) => {
    if (signal.aborted) return { kind: "stopped" };
    const protocol = protocolOf(push.url);
    const env = toEnvironment(environment, protocol);
    try {
      const limits = { env, leadsGroup: true, signal, timeLimitMs: timeoutMs };
      const run = async (refs: readonly string[]): Promise<PushOutcome> => {
        const result = await runGit(push.gitdir, [...toArguments(protocol), ...refs], limits);
        if (result === undefined) return { kind: "no-git", error: "git is not installed" };
        return result.code === 0 ? { kind: "pushed" } : explain(result);
      };
      // First, because a branch may have come whose name needs the place of one that is gone.
      const deleted = push.gone.length > 0 ? await run(deletionOf(push)) : undefined;
      // The mirror may not let branches be deleted, and another client may have moved or deleted one.
      if (deleted !== undefined && deleted.kind !== "pushed" && deleted.kind !== "rejected") return deleted;
      return await run(["--", push.url, ...refsOf(push)]);
    } catch (error) {
      if (isFailure(error, "content-invalid")) return { kind: "failed", error: error.message };
      if (!(error instanceof GitEnded)) throw error;
      if (signal.aborted) return { kind: "stopped" };
      const late = `the push took longer than ${Math.round(timeoutMs / 1000)} s`;
      return { kind: "failed", error: error.isLate ? late : error.message };
    }
  };
}

/** The arguments that delete branches which are where they were pushed. */
function deletionOf({ url, gone }: Pick<Push, "url" | "gone">): readonly string[] {
  const leases = gone.map(({ name, commit }) => `--force-with-lease=refs/heads/${name}:${commit}`);
  return [...leases, "--", url, ...gone.map(({ name }) => `:refs/heads/${name}`)];
}

function refsOf({ commit, branches }: Pick<Push, "commit" | "branches">): readonly string[] {
  return [branches ? "refs/heads/*:refs/heads/*" : `${commit}:refs/heads/main`, "refs/tags/*:refs/tags/*"];
}

function toArguments(protocol: MirrorProtocol): readonly string[] {
  const proxy = protocol === "http" ? ["http.proxy="] : [];
  return [
    ...[...settings, ...proxy].flatMap((setting) => ["-c", setting]),
    "push",
    "--porcelain",
    "--no-verify",
    "--no-signed",
    "--no-follow-tags",
    "--recurse-submodules=no",
  ];
}

function toEnvironment(from: NodeJS.ProcessEnv, protocol: MirrorProtocol): NodeJS.ProcessEnv {
  const names = protocol === "http" ? passedOn : [...passedOn, ...proxies];
  return {
    ...Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))),
    ...ownObjectsOnly,
    LC_ALL: "C",
    GIT_ALLOW_PROTOCOL: allowedProtocols[protocol],
    // No person can be prompted, in a terminal or in a window.
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS_REQUIRE: "never",
    GCM_INTERACTIVE: "never",
    GIT_SSH_COMMAND: `${from["GIT_SSH_COMMAND"] ?? "ssh"} ${sshOptions}`,
  };
}

/** Lines of git that do not explain a failure. */
const noise = /^(?:hint:|To |Done$|error: failed to push some refs|\s*$)/;

function explain({ code, stdout, stderr }: GitResult): PushOutcome {
  const refused = stdout
    .split("\n")
    .map((line) => /^!\t[^\t]*:refs\/(?:heads|tags)\/([^\t]*)\t\[(?:remote )?rejected\] ?(.*)$/.exec(line))
    .flatMap((match) => (match === null ? [] : [`${match[1]} was rejected ${match[2]}`.trim()]));
  const messages = stderr.split("\n").filter((line) => !noise.test(line));
  if (refused.length > 0) return { kind: "rejected", error: toOneLine([...refused, ...messages]) };
  const reported = stdout.split("\n").filter((line) => line.startsWith("!"));
  const error = toOneLine([...new Set([...messages, ...reported])]);
  return { kind: "failed", error: error === "" ? `git push ended with ${code}` : error };
}
