/** Asks a primary for news, and checks what it says before any of it is used. */
import { z } from "zod";
import { parseTrashId, type TrashId } from "../../domain/hives/trash.ts";
import { isHiveSlug, isTeamName, type HiveSlug, type TeamName } from "../../domain/names.ts";
import type { NewsRequest, ReplicationNews } from "../../domain/replication/news.ts";
import { isReplicatedPath, isRepositoryId } from "../../store/replication/replicated.ts";
import { withTimeout } from "../../deadline.ts";

/** How long the primary may take beyond what it was asked to wait. */
const graceMs = 5_000;

const id = z.string().refine(isRepositoryId);
const team = z.custom<TeamName>((value) => typeof value === "string" && isTeamName(value));
const slug = z.custom<HiveSlug>((value) => typeof value === "string" && isHiveSlug(value));
const trashId = z.custom<TrashId>((value) => typeof value === "string" && parseTrashId(value) !== undefined);
const generation = z.number().int().positive();
const note = z.object({ team, published: z.object({ file: z.string(), text: z.string() }).optional() });

const newsResponse = z.object({
  storage: id,
  generation,
  superseded_by: generation.nullable(),
  version: z.string(),
  complete: z.boolean(),
  settings_only: z.boolean(),
  now: z.number(),
  settings: z.record(z.string().refine(isReplicatedPath), z.string().nullable()),
  hives: z.record(slug, z.object({ id, team, refs: z.string() }).nullable()),
  trash: z.record(trashId, z.object({ id, note: note.nullable() }).nullable()),
});

const errorResponse = z.object({ message: z.string() });

export interface PrimaryAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly secret: string;
}

/** The primary answered, but not with news. */
export class Refusal extends Error {}

/**
 * What has changed since a version.
 * @throws Refusal when it refuses to tell, or says what cannot be; TypeError and the signals' reasons when it cannot be
 * reached.
 */
export async function askForNews(
  { url, secret }: PrimaryAddress,
  request: NewsRequest,
  signal: AbortSignal,
): Promise<ReplicationNews> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const response = await fetch(`${url}/api/replication?${query.toString()}`, {
    headers: { authorization: `Bearer ${secret}` },
    // The credential is for this server only.
    redirect: "error",
    signal: withTimeout(signal, request.wait * 1_000 + graceMs),
  });
  if (response.status === 401) {
    throw new Refusal(`${url} does not know the secret: skep follower add prints one over there`);
  }
  if (response.status !== 200) {
    const { success, data } = errorResponse.safeParse(await response.json().catch(() => undefined));
    throw new Refusal(
      `${url} answered ${response.status}${success ? `: ${data.message.slice(0, 300)}` : ""}`,
    );
  }
  const { success, data, error } = newsResponse.safeParse(await response.json().catch(() => undefined));
  if (!success) throw new Refusal(`${url} did not answer as a primary does: ${z.prettifyError(error)}`);
  return {
    storage: data.storage,
    generation: data.generation,
    supersededBy: data.superseded_by,
    version: data.version,
    isComplete: data.complete,
    isSettingsOnly: data.settings_only,
    now: data.now,
    settings: mapOf(data.settings),
    hives: mapOf(data.hives),
    trash: mapOf(data.trash),
  };
}

function mapOf<K extends string, V>(members: Readonly<Partial<Record<K, V>>>): Map<K, V>;
function mapOf(members: object): Map<string, unknown> {
  return new Map(Object.entries(members));
}
