/** Follows a job of an engine until it has ended; an interrupt stops it. */
import { setTimeout as wait } from "node:timers/promises";
import type { EngineApi, JobRequest, TranslationJob } from "../api/engine-api.ts";

/** How often the client asks how far a job is. */
const everyMs = 1_000;

/**
 * Starts a job and waits for its end.
 * @param given.progress is told how far it is. @param given.interrupted ends the wait, and stops the job.
 * @throws ClientError when the server refuses a request.
 */
export async function followJob(
  engines: EngineApi,
  request: JobRequest,
  given: { readonly progress: (message: string) => void; readonly interrupted: AbortSignal },
): Promise<TranslationJob> {
  let job = await engines.start(request);
  while (job.state === "waiting" || job.state === "running") {
    const { id, total, saved, refused, error } = job;
    const doing = `${saved} of ${total} strings saved${refused === 0 ? "" : `, ${refused} refused`}`;
    given.progress(error === null ? doing : `${doing}; the engine is asked again: ${error}`);
    try {
      await wait(everyMs, undefined, { signal: given.interrupted });
    } catch {
      return engines.stop(id);
    }
    job = await engines.show(id);
  }
  return job;
}
