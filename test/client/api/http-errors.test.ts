/** What the client says of refused and failed requests: in the words of the command line. */
import { once } from "node:events";
import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { responseError } from "../../../src/client/api/http-errors.ts";
import { HttpClient } from "../../../src/client/api/http.ts";

function refused(status: number, body: object, server = "https://skep.test/base") {
  const response = { status, headers: new Headers(), body: null };
  return responseError({ server, path: "/api/hives/web/x" }, response, JSON.stringify(body));
}

const deletions = "max_deletions: this would delete 2 source strings and may delete 1; ";

it.each<[number, string, string, string]>([
  [404, "unknown_hive", "No such Hive.", "or create it with skep hive create or skep push --create"],
  [
    404,
    "not_found",
    "There is nothing at this address.",
    "(/api/hives/web/x): it may be older than this skep",
  ],
  [404, "not_found", "There is no webhook.", "There is no webhook."],
  [405, "method_not_allowed", "No.", "(/api/hives/web/x): it may be older than this skep"],
  [422, "unknown_parameter", "detect_moves: is unknown.", "detect_moves: is unknown. https://skep.test"],
  [403, "missing_ability", "This token lacks it.", "This token lacks it. Take a token that has it."],
  [
    409,
    "merge_conflict",
    "Both: x",
    "Both: x. Change one of the texts, or choose a side with --on-conflict main",
  ],
  [401, "expired_token", "Unauthenticated.", "The token has expired: sign in with skep login"],
  [401, "invalid_token", "Unauthenticated.", "https://skep.test/base does not know the token"],
  [
    422,
    "too_many_deletions",
    `${deletions}send max_deletions=2`,
    `${deletions.replace("max_", "--max-")}give --max-deletions 2`,
  ],
  [422, "constructor", "Because.", "Because."],
])("a %i with the code %s is told so that it helps", (status, code, message, said) => {
  const error = refused(status, { message, code });
  expect(error).toMatchObject({ code, status, message: expect.stringContaining(said) });
});

it.each([
  [503, "content_invalid", "error"],
  [503, "busy", "unavailable"],
  [503, "record_unavailable", "unavailable"],
  [507, "disk_full", "error"],
  [409, "text_conflict", "conflict"],
  [404, "unknown_hive", "denied"],
])("a %i with the code %s ends a command as %s", (status, code, kind) => {
  expect(refused(status, { message: "No.", code }).kind).toBe(kind);
});

it("a URL with /api at its end is told from an older server", () => {
  const body = {
    message: "There is nothing at this address. Did you mean /api/hives/mis?",
    code: "not_found",
  };
  expect(refused(404, body, "https://skep.test/api").message).toBe(
    "https://skep.test/api is not the address of a Skep server: leave out /api at its end.",
  );
});

it("a server without https is named, in no words of OpenSSL", async () => {
  const server = createServer((_, response) => response.end("plain"));
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("There is no port.");
  const url = `https://127.0.0.1:${address.port}`;
  const http = new HttpClient({ server: url, token: "t", transport: fetch, sleep: async () => {} });
  const request = http.send({ method: "GET", path: "/api/hives/web", schema: z.unknown() });
  await expect(request).rejects.toThrow(
    `${url} answers http, not https: give http://… as the server's URL, or let the server have https.`,
  );
});
