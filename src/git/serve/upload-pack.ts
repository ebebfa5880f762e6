/**
 * Git's own `upload-pack`, run for one request of the smart HTTP protocol.
 *
 * Which references it shows is a setting of git's; which objects it gives is not: in protocol v2 a client may ask for
 * any object that is there, in the older ones for any blob, and below a commit that it calls shallow for anything.
 * So each request is read before git sees it.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { flushPacket, hideNames, parseUploadRequest, toPacket, type ProtocolVersion } from "./pkt-line.ts";
import { openGit } from "../process/git-stream.ts";
import { RefAnswerCache } from "./ref-answer-cache.ts";
import { areVisible, findVisible, findUnreachable, visibleRefs } from "./reachable.ts";

export interface UploadPackRequest {
  /** The body of a request, unpacked; references are advertised when there is none. */
  readonly body?: Uint8Array | undefined;
  /** The version of the protocol that the client speaks, if it says. */
  readonly version?: ProtocolVersion | undefined;
  /** Ends git, whatever it does. */
  readonly signal: AbortSignal;
}

/**
 * Answers a request, as a stream that ends git when it is destroyed; undefined when there is no git.
 * @throws SkepError `malformed` when the body is not a request; Error when git fails or the signal ends it.
 */
export type UploadPack = (gitdir: string, request: UploadPackRequest) => Promise<Readable | undefined>;

/** How git's settings are set, whatever the repository's own are. Of entries that match, the last one counts. */
const settings = {
  "uploadpack.hideRefs": ["refs", ...visibleRefs.map((ref) => `!${ref}`)],
  "uploadpack.allowFilter": ["true"],
  // A filter by a sparse file would read any object that is there.
  "uploadpackfilter.allow": ["false"],
  "uploadpackfilter.blob:none.allow": ["true"],
  "uploadpackfilter.blob:limit.allow": ["true"],
  "uploadpackfilter.tree.allow": ["true"],
  "uploadpackfilter.combine.allow": ["true"],
  // What may be wanted is decided here. In the older versions the clients ask for no object that is not advertised
  // else, and a partial clone could never fetch what it left out.
  "uploadpack.allowAnySHA1InWant": ["true"],
  "uploadpack.allowRefInWant": ["false"],
  "transfer.advertiseObjectInfo": ["false"],
  "uploadpack.advertiseBundleURIs": ["false"],
} as const;

const flags = Object.entries(settings).flatMap(([name, values]) =>
  values.flatMap((value) => ["-c", `${name}=${value}`]),
);

const advertisement = Buffer.from("advertise");

/** Answers by the installed git; what it says of references is remembered as long as they stay. */
export function makeUploadPack(): UploadPack {
  const refAnswers = new RefAnswerCache();
  return async (gitdir, { body, version = 0, signal }) => {
    const start = async (input: Uint8Array | undefined, ...more: string[]): Promise<Readable | undefined> => {
      const command = ["upload-pack", "--strict", "--stateless-rpc", ...more, "."];
      const args = [...flags, ...(await hiddenHead(gitdir)), ...command];
      const env = { GIT_PROTOCOL: `version=${version}` };
      return openGit(gitdir, args, { env, signal, ...(input === undefined ? {} : { input }) });
    };
    // In the older versions an answer tells more than the references.
    const isRemembered = version === 2;
    if (body === undefined) {
      const ask = (): Promise<Readable | undefined> => start(undefined, "--advertise-refs");
      if (isRemembered) return refAnswers.answer(gitdir, advertisement, ask);
      const output = await ask();
      output?.unshift(Buffer.concat([toPacket("# service=git-upload-pack\n"), flushPacket]));
      return output;
    }
    const request = parseUploadRequest(body, version);
    if (isRemembered && request.isForRefs) return refAnswers.answer(gitdir, body, () => start(body));
    const { wants, haves, shallows, excluded } = request;
    const unreachable = await findUnreachable(gitdir, wants, signal);
    const claimed = new Set([...haves, ...shallows]);
    const shown = await findVisible(gitdir, claimed, signal);
    const areRefs = await areVisible(gitdir, excluded, signal);
    if (unreachable === undefined || shown === undefined || areRefs === undefined) return undefined;
    // One that is there and one that is not are answered alike, in git's own words.
    const [refused] = unreachable;
    if (refused !== undefined) return refuse(`not our ref ${refused}`);
    if (!areRefs) return refuse("deepen-not is not a ref");
    // What a client has from elsewhere is nothing to git, which must not tell it either that it is there.
    const hidden = new Set([...claimed].filter((oid) => !shown.has(oid)));
    return start(hidden.size === 0 ? body : hideNames(body, hidden));
  };
}

/** A refusal as git's clients show it to their users. */
function refuse(why: string): Readable {
  return Readable.from([toPacket(`ERR upload-pack: ${why}`)]);
}

/** HEAD lies outside refs/, so it is hidden by name, unless it stands for main. */
async function hiddenHead(gitdir: string): Promise<readonly string[]> {
  const head = await readFile(join(gitdir, "HEAD"), "utf8").catch(() => "");
  return head.trim() === "ref: refs/heads/main" ? [] : ["-c", "uploadpack.hideRefs=HEAD"];
}
