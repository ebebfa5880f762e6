/** Questions to the person at a terminal. */
import { once } from "node:events";
import { output } from "./output.ts";

/** Whether a person can answer questions: stdin and stderr are terminals. */
export function isInteractive(): boolean {
  const { stdin, stderr } = output();
  return stdin?.isTTY === true && stderr.isTTY === true;
}

/**
 * Asks a question on stderr, so that stdout has only results.
 * @param usual the answer for an empty line.
 * @returns the answer without spaces around it; undefined when the input ends instead.
 */
export async function ask(question: string, usual = ""): Promise<string | undefined> {
  const { stdin, stderr } = output();
  if (stdin === undefined) return undefined;
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: stdin });
  const ended = new AbortController();
  lines.once("close", () => ended.abort());
  const line = once(lines, "line", { signal: ended.signal });
  stderr.write(`${question}${usual === "" ? "" : ` [${usual}]`}: `);
  try {
    const [answer]: unknown[] = await line;
    return String(answer).trim() || usual;
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    stderr.write("\n");
    return undefined;
  } finally {
    lines.close();
  }
}

/**
 * Asks for a yes or no; anything but a yes is a no, and so is the end of the input.
 * @param usual what an empty line means.
 */
export async function askYes(question: string, usual = false): Promise<boolean> {
  const answer = await ask(`${question} (${usual ? "Y/n" : "y/N"})`);
  return answer === "" ? usual : /^y(es)?$/i.test(answer ?? "");
}
