import type { Following } from "../../../src/service/replication/follower.ts";

/** A copy that is whole, and as new as its primary. */
export const upToDate: Following = {
  lagSeconds: 0,
  pending: 0,
  refused: 0,
  isFresh: () => true,
  requireFresh: () => {},
  requireCopied: () => {},
  requireComplete: () => {},
  catchUp: () => Promise.resolve(true),
};
