/** Keeps node's `process.nextTick` fast. */
import { executionAsyncResource } from "node:async_hooks";

let kept: Promise<object> | undefined;

/**
 * Keeps one of the objects alive that node makes for each call of `process.nextTick`. When a collection of garbage finds
 * none, V8 forgets their shape, and from then on node makes them without optimisation. Answering a request takes seven of
 * these calls, which then cost as much as all of the fast path.
 * @returns the object; the same one each time.
 */
export function keepTickObject(): Promise<object> {
  return (kept ??= new Promise((resolve) => process.nextTick(() => resolve(executionAsyncResource()))));
}
