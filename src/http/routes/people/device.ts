/** How a program gets a token of a person, who allows it in the console. */
import type { z } from "zod";
import { askForToken, takeDeviceToken } from "../../../service/people/devices.ts";
import { withExample } from "../../openapi/route-docs.ts";
import type { OpenRoute } from "../../pipeline/route.ts";
import { noShare } from "../../requests/body-budget.ts";
import { parseBody, readJsonBody } from "../../requests/body.ts";
import { clientOf } from "../../requests/client-address.ts";
import { respondJson } from "../../responses/respond.ts";
import {
  deviceBody,
  deviceResponse,
  deviceTokenBody,
  deviceTokenResponse,
} from "../../schemas/people/people-schemas.ts";
import { check } from "../../schemas/schemas.ts";
import { newToken } from "../tokens.ts";

/** The most bytes and values of a body from somebody unknown. */
const maxBytes = 4096;
const maxValues = 20;

async function bodyOf<S extends z.ZodType>(
  event: Parameters<OpenRoute["handler"]>[0],
  schema: S,
): Promise<z.output<S>> {
  const bytes = await readJsonBody(event, maxBytes, noShare);
  return check(schema, await parseBody(bytes, maxValues), "body");
}

export const deviceRoutes: readonly OpenRoute[] = [
  {
    kind: "open",
    method: "POST",
    path: "/api/device",
    id: "askForToken",
    group: "People",
    summary: "Ask for a token of a person",
    description:
      "For programs without a browser, as RFC 8628 has it. Show `user_code` and `verification_uri` to the person; then ask for the token every `interval` seconds. An address may have 20 codes open.",
    body: withExample(deviceBody, { name: "laptop" }),
    response: withExample(deviceResponse, {
      device_code: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS0o",
      user_code: "BCDF-GHJK",
      verification_uri: "https://skep.example.org/device",
      expires_in: 600,
      interval: 5,
    }),
    errors: [
      "malformed",
      "too-large",
      "unsupported-media-type",
      "invalid",
      "too-many-attempts",
      "not-implemented",
      "busy",
    ],
    async handler(event, { options }) {
      const { name } = await bodyOf(event, deviceBody);
      const client = clientOf(event.runtime?.node?.req, options.trustProxy);
      return respondJson(await askForToken(options.storage, { client, name: name ?? "" }, options.publicUrl));
    },
  },
  {
    kind: "open",
    method: "POST",
    path: "/api/device/token",
    id: "takeDeviceToken",
    group: "People",
    summary: "Take the token that a person allowed",
    description:
      "Answers with the token once. Before that a 400 says `authorization_pending`, `slow_down` to those who ask too often, `access_denied`, or `expired_code`.",
    body: withExample(deviceTokenBody, { device_code: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS0o" }),
    response: withExample(deviceTokenResponse, { token: newToken }),
    errors: ["malformed", "too-large", "unsupported-media-type", "invalid", "quota", "busy"],
    async handler(event, { options }) {
      const { device_code: code } = await bodyOf(event, deviceTokenBody);
      return respondJson({ token: await takeDeviceToken(options.storage, code) });
    },
  },
];
