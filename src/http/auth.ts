/** The `Authorization` header, and who is behind it. */
import { authenticate, type Caller } from "../service/access.ts";
import type { Storage } from "../service/storage.ts";

/** @throws SkepError `unauthenticated` unless the header holds a good token. */
export function callerOf(storage: Storage, authorization: string | null): Promise<Caller> {
  const [, token] = /^Bearer +([^ ]+) *$/i.exec(authorization ?? "") ?? [];
  return authenticate(storage, token);
}
