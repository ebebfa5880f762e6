/** Makes a copy the storage that is written to, and keeps the one that was from being written to. */
import { failure, isFailure } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { describeError, type InfoLog } from "../../log.ts";
import type { Background } from "../background.ts";
import type { Storage } from "../storage.ts";
import { askForNews, type PrimaryAddress } from "./primary-client.ts";

/**
 * Makes a copy a storage of its own, of a newer generation. No server may be following with it. A storage that another
 * one took over from becomes the newest again.
 * @returns its generation, and the address of the primary that it was a copy of.
 * @throws SkepError `conflict` when it is neither, or a server follows with it.
 */
export async function promote({
  replication,
}: Storage): Promise<{ readonly generation: number; readonly followed: string | undefined }> {
  let followed: string | undefined;
  const change = (): Promise<{ generation: number }> =>
    replication.change((before) => {
      followed = before?.follows;
      if (before === undefined || (followed === undefined && before.supersededBy === undefined)) {
        throw failure("conflict", "This storage is not a copy of another one: it can be changed already.");
      }
      const { id, generation, supersededBy = 0 } = before;
      return { id, generation: Math.max(generation, supersededBy) + 1 };
    });
  try {
    const { generation } = await replication.hold(change);
    return { generation, followed };
  } catch (cause) {
    if (!isFailure(cause, "busy")) throw cause;
    throw failure("conflict", "A server follows with this storage; stop it first.", { cause });
  }
}

/** How much newer the generation of a server that took over can be: what is beyond is a mistake, or worse. */
const maxAhead = 1_000;

/**
 * Refuses all changes of a storage from now on, because another server took over. A server of it need not be stopped.
 * @param to the generation of that server; one more than this storage's if not given.
 * @returns that generation.
 * @throws SkepError `conflict` when the storage is a copy, or the generation is not newer, or is no possible one.
 */
export async function demote({ replication, registry }: Storage, to: number | undefined): Promise<number> {
  await replication.readOrCreate();
  const { supersededBy = 0 } = await replication.change((before) => {
    const own = before?.generation ?? 1;
    if (before === undefined || before.follows !== undefined) {
      throw failure(
        "conflict",
        "This storage is a copy of another one: nothing can be changed here already.",
      );
    }
    const generation = Math.max(to ?? own + 1, before.supersededBy ?? 0);
    if (generation <= own) throw failure("conflict", `This storage is of generation ${own} itself.`);
    if (to !== undefined && to > own + maxAhead) {
      throw failure(
        "conflict",
        `No server can be of generation ${to}: this storage is of generation ${own}.`,
      );
    }
    return { ...before, supersededBy: generation };
  });
  // Responses that are kept in memory do not show it.
  await registry.version.hold(() => registry.version.renew());
  return supersededBy;
}

/**
 * Lets a follower take a Hive over as the primary has it, although commits of the copy are not there any more. Those of
 * branches are kept; a Hive that the primary has not any more is removed.
 * @throws SkepError `not-found` when the follower refuses nothing of that Hive.
 */
export async function acceptLoss({ hives, replicated }: Storage, slug: HiveSlug): Promise<void> {
  const gitdir = hives.folderOf(slug);
  if ((await replicated.lossIn(gitdir)) === undefined) {
    throw failure("not-found", `This storage has no Hive "${slug}" of which the primary has lost something.`);
  }
  await replicated.noteLoss(gitdir, "accepted");
}

/** How often the old primary is told, until it knows. */
const everyMs = 5_000;

/** Tells the primary that this storage was a copy of that there is a newer generation, until it has heard it. */
export function notifyOldPrimary(storage: Storage, old: PrimaryAddress, log: InfoLog): Background {
  const stopping = new AbortController();
  let problem: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let telling: Promise<void> = Promise.resolve();
  const tell = async (): Promise<void> => {
    const { id, generation = 1 } = storage.replication.read() ?? {};
    try {
      const news = await askForNews(old, { wait: 0, storage: id, generation }, stopping.signal);
      if (news.supersededBy !== null && news.supersededBy >= generation) {
        return log.info({ primary: old.url, generation }, "the old primary knows that this server took over");
      }
      throw new Error(`it is of generation ${news.generation}, and this server of ${generation}`);
    } catch (error) {
      if (stopping.signal.aborted) return;
      const found = error instanceof Error ? error.message : String(error);
      if (found !== problem) {
        const fields = { primary: old.url, error: describeError(error) };
        log.error(fields, "could not notify the old primary that this server took over; it is tried again");
      }
      problem = found;
    }
    timer = setTimeout(begin, everyMs).unref();
  };
  const begin = (): void => void (telling = tell());
  begin();
  return {
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await telling;
    },
  };
}
