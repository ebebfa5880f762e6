/** A client of event streams, as an event source reads them. */
import { onTestFinished } from "vitest";

/** One event as its listener gets it; of a block without data only the position counts. */
export interface ReceivedEvent {
  readonly event: string;
  readonly id: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into data of every shape
  readonly data: any;
}

export interface EventClient {
  readonly response: Response;
  /** The last position. */
  readonly id: () => string;
  readonly retry: () => number | undefined;
  /** How many comments came so far. */
  readonly comments: () => number;
  /** The next event; undefined when the stream has ended. */
  readonly next: () => Promise<ReceivedEvent | undefined>;
  /** The next events, so many. */
  readonly take: (count: number) => Promise<readonly ReceivedEvent[]>;
  readonly leave: () => void;
}

/** Listens, until the test is finished. @param open asks for the stream. */
export async function listen(open: (signal: AbortSignal) => Promise<Response>): Promise<EventClient> {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  onTestFinished(leave);
  const response = await open(leaving.signal);
  let [id, text, comments] = ["", "", 0];
  let retry: number | undefined;
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const parse = (block: string): ReceivedEvent | undefined => {
    const [data, event]: [string[], string] = [[], ""];
    let name = event;
    for (const line of block.split(/\r\n|\r|\n/)) {
      const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === "") comments++;
      else if (field === "id") id = value;
      else if (field === "retry") retry = Number(value);
      else if (field === "event") name = value;
      else if (field === "data") data.push(value);
      else throw new Error(`unknown field: ${line}`);
    }
    return data.length === 0 ? undefined : { event: name, id, data: JSON.parse(data.join("\n")) };
  };
  const next = async (): Promise<ReceivedEvent | undefined> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end !== -1) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const found = parse(block);
        if (found !== undefined) return found;
        continue;
      }
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done || value === undefined) return undefined;
      text += value;
    }
  };
  const take = async (count: number): Promise<readonly ReceivedEvent[]> => {
    const events: ReceivedEvent[] = [];
    while (events.length < count) {
      const event = await next();
      if (event === undefined) throw new Error(`the stream ended after ${events.length} events`);
      events.push(event);
    }
    return events;
  };
  return { response, id: () => id, retry: () => retry, comments: () => comments, next, take, leave };
}
