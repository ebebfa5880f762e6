/** What the operations of tokens do. */
import { toPageOf } from "../../api/page.ts";
import { tokens, toTokenRequest } from "../../api/tokens.ts";
import { hasExpired, type Token } from "../../domain/access/token.ts";
import {
  createOwnToken,
  findOwnToken,
  listOwnTokens,
  revokeOwnToken,
} from "../../service/admin/own-tokens.ts";
import { teamOfToken } from "../../service/admin/tokens.ts";
import { implement } from "./implement.ts";

/** A token, of which the response has what is no secret. */
export function withExpired(token: Token, now: number) {
  return { ...token, expired: hasExpired(token, now) };
}

export const tokenOperations = implement(
  tokens,
  {
    listTokens: async ({ storage, caller, query }) => {
      const now = storage.now();
      const own = await listOwnTokens(storage, caller);
      return { result: toPageOf(own, query, (token) => withExpired(token, now)) };
    },
    getToken: async ({ storage, caller, param }) => ({
      result: withExpired(await findOwnToken(storage, caller, param("id")), storage.now()),
    }),
    createToken: async ({ storage, grant, body }) => {
      const { token, stored } = await createOwnToken(storage, grant, toTokenRequest(body));
      return { result: { ...withExpired(stored, storage.now()), token } };
    },
    revokeToken: async ({ storage, grant, param }) => ({
      result: withExpired(await revokeOwnToken(storage, grant, param("id")), storage.now()),
    }),
  },
  teamOfToken,
);
