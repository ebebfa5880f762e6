/**
 * Runs git's own `upload-pack` for one request of the smart HTTP protocol.
 *
 * A setting of git decides which refs it shows, but not which objects it serves: in protocol v2 a client may ask for any
 * object in the repository, in older versions for any blob, and for anything below a commit that it calls shallow. So
 * each request is parsed and checked before git gets it.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { flushPacket, hideNames, parseUploadRequest, toPacket, type ProtocolVersion } from "./pkt-line.ts";
import { openGit } from "../process/git-stream.ts";
import { visibleRefs, readVisibleRefs, areVisible, findVisible, findUnreachable } from "../refs/reachable.ts";
import { boundedCache } from "../../bounded-cache.ts";

export interface UploadPackRequest {
  /** The decompressed body of a request; without one, the refs are advertised. */
  readonly body?: Uint8Array;
  /** The version of the protocol that the client asks for, if it does. */
  readonly version?: ProtocolVersion;
  readonly signal: AbortSignal;
}

/**
 * Answers a request by a stream, which stops git when it is destroyed; undefined when git is not installed.
 * @throws SkepError `malformed` when the body is not a request; Error when git fails or the signal stops it.
 */
export type UploadPack = (gitdir: string, request: UploadPackRequest) => Promise<Readable | undefined>;

/** Settings that overrule the repository's own. Of several `hideRefs` entries that match, the last one counts. */
const settings = {
  "uploadpack.hideRefs": ["refs", ...visibleRefs.map((ref) => `!${ref}`)],
  "uploadpack.allowFilter": ["true"],
  // A filter by a sparse file could read any object in the repository.
  "uploadpackfilter.allow": ["false"],
  "uploadpackfilter.blob:none.allow": ["true"],
  "uploadpackfilter.blob:limit.allow": ["true"],
  "uploadpackfilter.tree.allow": ["true"],
  "uploadpackfilter.combine.allow": ["true"],
  // This module decides which objects are served. Without this setting, clients of older versions of the protocol only
  // ask for advertised objects, and a partial clone could never fetch what it left out.
  "uploadpack.allowAnySHA1InWant": ["true"],
  "uploadpack.allowRefInWant": ["false"],
  "transfer.advertiseObjectInfo": ["false"],
  "uploadpack.advertiseBundleURIs": ["false"],
} as const;

const flags = Object.entries(settings).flatMap(([name, values]) =>
  values.flatMap((value) => ["-c", `${name}=${value}`]),
);

const advertisement = Buffer.from("advertise");

/** Makes an {@link UploadPack} that runs the installed git and caches its advertisements of refs. */
export function makeUploadPack(): UploadPack {
  const refAdvertisements = new RefAdvertisementCache();
  return async (gitdir, { body, version = 0, signal }) => {
    const start = async (input: Uint8Array | undefined, ...more: string[]): Promise<Readable | undefined> => {
      const command = ["upload-pack", "--strict", "--stateless-rpc", ...more, "."];
      const args = [...flags, ...(await hiddenHead(gitdir)), ...command];
      const env = { GIT_PROTOCOL: `version=${version}` };
      return openGit(gitdir, args, { env, signal, input });
    };
    // In older versions a response depends on more than the refs.
    const isCacheable = version === 2;
    if (body === undefined) {
      const advertise = (): Promise<Readable | undefined> => start(undefined, "--advertise-refs");
      if (isCacheable) return refAdvertisements.getOrRun(gitdir, advertisement, advertise);
      const output = await advertise();
      output?.unshift(Buffer.concat([toPacket("# service=git-upload-pack\n"), flushPacket]));
      return output;
    }
    const request = await parseUploadRequest(body, version, signal);
    if (isCacheable && request.isForRefs) return refAdvertisements.getOrRun(gitdir, body, () => start(body));
    const { wants, claims, excluded } = request;
    const unreachable = await findUnreachable(gitdir, wants, signal);
    const shown = await findVisible(gitdir, new Set(claims.map(({ oid }) => oid)), signal);
    const areRefs = await areVisible(gitdir, excluded, signal);
    if (unreachable === undefined || shown === undefined || areRefs === undefined) return undefined;
    // A hidden object and a missing one get the same answer, in git's own words.
    const [refused] = unreachable;
    if (refused !== undefined) return refuse(`not our ref ${refused}`);
    if (!areRefs) return refuse("deepen-not is not a ref");
    // Hidden commits are removed from the request: git's answer must not reveal that they exist.
    return start(
      hideNames(
        body,
        claims.filter(({ oid }) => !shown.has(oid)),
      ),
    );
  };
}

/** A refusal in the form that git clients show to their users. */
function refuse(why: string): Readable {
  return Readable.from([toPacket(`ERR upload-pack: ${why}`)]);
}

/** HEAD is outside refs/, so it has to be hidden by name, unless it refers to main. */
async function hiddenHead(gitdir: string): Promise<readonly string[]> {
  const head = await readFile(join(gitdir, "HEAD"), "utf8").catch(() => "");
  return head.trim() === "ref: refs/heads/main" ? [] : ["-c", "uploadpack.hideRefs=HEAD"];
}

/** The bound for all repositories together. */
const maxResponses = 256;
/** Responses to longer requests are not cached. */
const maxRequestBytes = 2_048;

/**
 * A clone sends three requests, two of them for what seldom changes, and each would start a git process. Whether a
 * response is still valid is checked by reading the refs, so that it does not matter who moved them.
 */
export class RefAdvertisementCache {
  readonly #responses = boundedCache<string, Buffer>(maxResponses);

  /**
   * Gives git's response to a request, from the cache or by running git.
   * @param request the bytes of the request.
   * @param runGit gives undefined when git is not installed.
   */
  async getOrRun(
    gitdir: string,
    request: Uint8Array,
    runGit: () => Promise<Readable | undefined>,
  ): Promise<Readable | undefined> {
    const state = request.length > maxRequestBytes ? undefined : (await readVisibleRefs(gitdir))?.state;
    if (state === undefined) return runGit();
    const name = `${gitdir}\0${state}\0${Buffer.from(request).toString("latin1")}`;
    const cached = this.#responses.get(name);
    if (cached !== undefined) return Readable.from([cached]);
    const output = await runGit();
    if (output === undefined) return undefined;
    const pieces: Buffer[] = [];
    for await (const piece of output) pieces.push(piece);
    const response = Buffer.concat(pieces);
    // A ref that moved meanwhile may or may not be in the response.
    if ((await readVisibleRefs(gitdir))?.state === state) this.#responses.set(name, response);
    return Readable.from([response]);
  }
}
