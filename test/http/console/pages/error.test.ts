/** What error pages say: sentences for people, and what to do next. */
import { expect, it } from "vitest";
import { invalid, publicCodes, type PublicCode } from "../../../../src/domain/errors.ts";
import { toldOf } from "../../../../src/http/console/pages/error.tsx";
import { problemsOf } from "../../../../src/http/console/requests/form.ts";
import { statusOfCode, toPublicError } from "../../../../src/http/responses/error-response.ts";

/** Codes whose messages say what to do, or that only the API gives. */
const complete = new Set<string>([
  "malformed_request",
  "forbidden",
  "no_person",
  "push_refused",
  "gone",
  "method_not_allowed",
  "not_acceptable",
  "too_many_attempts",
  "too_many_changes",
  "too_many_values",
  "body_too_large",
  "unsupported_media_type",
]);

function codesOf<T extends object>(table: T): readonly Extract<keyof T, string>[] {
  const codes: Extract<keyof T, string>[] = [];
  for (const code in table) codes.push(code);
  return codes;
}

it("say for every code what to do next", () => {
  const without = codesOf(publicCodes).flatMap((code) => {
    const words: readonly PublicCode[] = publicCodes[code];
    const status = statusOfCode(code) ?? 500;
    // Who is not signed in is led to the form for that, and only programs ask for a token of a device.
    if (status === 401) return [];
    const ofPages = code === "malformed" ? words.slice(0, 1) : words;
    return ofPages.filter((word) => {
      const { next } = toldOf({ status, body: { message: "It went wrong.", code: word } });
      return next === undefined && !complete.has(word);
    });
  });
  expect(without).toEqual([]);
});

it("say in words what is written for programs, as forms do", () => {
  const error = invalid("max_deletions", "this would delete 9 source strings; send max_deletions=9", {
    publicCode: "too_many_deletions",
  });
  const { texts } = toldOf(toPublicError(error, "r1"));
  expect(texts).toEqual([expect.stringContaining("in its settings")]);
  expect([...problemsOf(error)]).toEqual([["", texts[0]]]);
  expect([...problemsOf(invalid("name", "must not be empty"))]).toEqual([["name", "must not be empty"]]);
});
