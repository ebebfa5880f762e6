/** Errors as pages. */
import { STATUS_CODES } from "node:http";
import type { PublicError } from "../../responses/error-response.ts";
import { Code, Name } from "../parts/text.tsx";
import type { View } from "../requests/page.ts";

const titles: Readonly<Record<number, string>> = {
  401: "Sign in again",
  403: "Not allowed",
  404: "Not found",
  409: "Changed meanwhile",
  412: "Changed meanwhile",
  422: "This cannot be done",
  429: "Too many attempts",
  500: "Something went wrong",
  503: "Not possible just now",
  507: "The disk is full",
};

/** Titles of codes that are more specific than their status. */
const titlesOfCodes: Readonly<Record<string, string>> = {
  slug_taken: "The name is taken",
  quota_exceeded: "The quota is used up",
  limit_reached: "A limit is reached",
  read_only: "Nothing can be changed here",
};

/** Messages for people, for errors whose own message is for programs. */
const messages: Readonly<Record<string, string>> = {
  unknown_hive: "This token has access to no such Hive.",
  invalid_token:
    "Your session has ended, so nothing was done. Sign in again in another tab, and go back to the form.",
  read_only: "This server cannot change anything now, so nothing was done.",
  precondition_failed: "The Hive has been changed since this page was shown, so nothing was done.",
};

/**
 * A page that shows an error.
 * @param written what the user entered into the form that failed.
 */
export function errorView({ status, body, headers }: PublicError, written: readonly string[] = []): View {
  const issues = Object.values(body.errors ?? {}).flat();
  return {
    title: titlesOfCodes[body.code] ?? titles[status] ?? STATUS_CODES[status] ?? "Error",
    status,
    headers,
    above: [],
    body: (
      <>
        {issues.length > 1 ? (
          <ul class="notice wrong">
            {issues.map((issue) => (
              <li>
                <Name name={issue} />
              </li>
            ))}
          </ul>
        ) : (
          <p class="notice wrong">
            <Name name={messages[body.code] ?? body.message} />
          </p>
        )}
        {body.details !== undefined && (
          <p>
            <Name name={body.details} />
          </p>
        )}
        {body.conflicts !== undefined && (
          <ul>
            {body.conflicts.map(({ locale, file, key }) => (
              <li>
                <Code name={locale} /> <Code name={file} /> <Code name={key} />
              </li>
            ))}
          </ul>
        )}
        {status >= 500 && body.code !== "read_only" && <p>Reload the page to try again.</p>}
        {written.length > 0 && (
          <>
            <h2>What you wrote</h2>
            {written.map((text) => (
              <textarea rows={4} readonly aria-label="What you wrote">
                {`\n${text}`}
              </textarea>
            ))}
          </>
        )}
      </>
    ),
  };
}
