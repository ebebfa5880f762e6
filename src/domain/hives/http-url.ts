/** Addresses of other services, which users name and requests are sent to. */
import { textProblem } from "../text.ts";

const maxUrlLength = 2_048;

/**
 * @returns why a text is no http or https URL that requests can be sent to; undefined if it is. It is never quoted: it
 * may hold a secret.
 */
export function httpUrlProblem(text: string): string | undefined {
  const problem = textProblem(text);
  if (problem !== undefined) return problem;
  if (text.length > maxUrlLength) return `must be at most ${maxUrlLength} characters`;
  if (/[\p{Cc}\p{Cf}\p{Z}\\]/u.test(text)) return "must not contain blanks, control characters or \\";
  if (!/^https?:\/\/[^/?#]/.test(text) || !URL.canParse(text)) return "must be an https URL";
  const { username, password, hash } = new URL(text);
  if (username !== "" || password !== "") return "must have no user and no password";
  return hash === "" && !text.endsWith("#") ? undefined : "must have no fragment";
}
