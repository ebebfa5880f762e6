/** Ends digests by the signed link that they have, with one request and without signing in (RFC 8058). */
import type { H3Event } from "h3";
import { getQuery } from "h3";
import { FastResponse } from "srvx";
import { unsubscribe } from "../../../service/mail/own-mail.ts";
import type { Shared } from "../../pipeline/shared.ts";
import { noShare, readFormBody } from "../../requests/body.ts";
import { clientOf } from "../../requests/client-address.ts";
import { respondJson } from "../../responses/respond.ts";

export const unsubscribePath = "/unsubscribe";

const maxBytes = 1_024;

/**
 * Mail programs send a form that says so (`List-Unsubscribe=One-Click`) and want no redirect; the form of the page is led
 * back to it.
 * @throws SkepError `not-found` for any other link.
 */
export async function handleUnsubscribe(
  event: H3Event,
  { options: { storage, trustProxy } }: Pick<Shared, "options">,
): Promise<Response> {
  const body = await readFormBody(event, maxBytes, noShare);
  const { code } = getQuery(event);
  const client = clientOf(event.runtime?.node?.req, trustProxy);
  await unsubscribe(storage, typeof code === "string" ? code : "", client);
  const isOneClick = new URLSearchParams(body.toString("utf8")).has("List-Unsubscribe");
  if (isOneClick) return respondJson({});
  return new FastResponse(null, {
    status: 303,
    headers: [["location", `.${unsubscribePath}${event.url.search}`]],
  });
}
