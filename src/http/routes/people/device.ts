/** How a program gets a token of a person, who allows it in the console. */
import { z } from "zod";
import { askForToken, takeDeviceToken } from "../../../service/people/devices.ts";
import { withExample } from "../../../api/operation.ts";
import { openRoute, type OpenRoute } from "../../pipeline/route.ts";
import { formType, noShare, parseBody, readFormBody, readJsonBody } from "../../requests/body.ts";
import { clientOf } from "../../requests/client-address.ts";
import { respondJson } from "../../responses/respond.ts";
import { check } from "../../schemas/schemas.ts";
import { named, text } from "../../../api/objects.ts";

const deviceBody = named("DeviceRequest", {
  name: text
    .meta({ description: "Of the machine, for the person who is asked. They see its first 100 characters." })
    .nullish(),
});

const deviceResponse = named("DeviceCode", {
  device_code: z.string().meta({ description: "A secret of the program." }),
  user_code: z.string().meta({ description: "What the person types, in any case." }),
  verification_uri: z.url().meta({ description: "Where the person types it." }),
  expires_in: z.int().meta({ description: "In seconds." }),
  interval: z.int().meta({ description: "In seconds." }),
});

const deviceTokenBody = named("DeviceTokenRequest", { device_code: text.meta({ maxLength: 200 }) });

const deviceTokenResponse = named("DeviceToken", {
  token: z.string(),
  access_token: z.string().meta({ description: "The same, as clients of OAuth look for it." }),
  token_type: z.literal("Bearer"),
});

/** The most bytes and values of a body from somebody unknown; it is JSON, or a form as clients of OAuth send it. */
const maxBytes = 4096;
const maxValues = 20;

async function bodyOf<S extends z.ZodType>(
  event: Parameters<OpenRoute["handler"]>[0],
  schema: S,
): Promise<z.output<S>> {
  if (event.req.headers.get("content-type")?.toLowerCase().startsWith(formType) === true) {
    const fields = new URLSearchParams((await readFormBody(event, maxBytes, noShare)).toString());
    return check(schema, Object.fromEntries(fields), "body");
  }
  const bytes = await readJsonBody(event, maxBytes, noShare);
  return check(schema, await parseBody(bytes, maxValues), "body");
}

export const deviceRoutes: readonly OpenRoute[] = [
  openRoute("askForToken", "POST", "/api/device", {
    group: "People",
    summary: "Ask for a token of a person",
    description:
      "For programs without a browser, as RFC 8628 has it. Show `user_code` and `verification_uri` to the person; then ask for the token every `interval` seconds. An address may have 20 codes open.",
    body: withExample(deviceBody, { name: "laptop" }),
    response: deviceResponse,
    errors: ["invalid", "too-many-attempts", "not-implemented"],
    async handler(event, { options }) {
      const { name } = await bodyOf(event, deviceBody);
      const client = clientOf(event.runtime?.node?.req, options.trustProxy);
      return respondJson(await askForToken(options.storage, { client, name: name ?? "" }, options.publicUrl));
    },
  }),
  openRoute("takeDeviceToken", "POST", "/api/device/token", {
    group: "People",
    summary: "Take the token that a person allowed",
    description:
      "Answers with the token once. Before that a 400 says `authorization_pending`, `slow_down` to those who ask too often, `access_denied`, or `expired_code`; its member `error` has the codes of RFC 8628. Both requests may be forms, as RFC 8628 has them.",
    body: withExample(deviceTokenBody, { device_code: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS0o" }),
    response: deviceTokenResponse,
    errors: ["invalid", "quota", "too-many-attempts"],
    async handler(event, { options }) {
      const { device_code: code } = await bodyOf(event, deviceTokenBody);
      const token = await takeDeviceToken(options.storage, code);
      return respondJson({ token, access_token: token, token_type: "Bearer" });
    },
  }),
];
