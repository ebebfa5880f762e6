/** Engines for tests, which answer at once. */
import type { OutgoingAnswer, OutgoingRequest } from "../../../src/service/outgoing-request.ts";

/** An answer of an engine as JSON. */
export function answerOf(
  body: unknown,
  status = 200,
  headers: OutgoingAnswer["headers"] = {},
  isWhole = true,
): OutgoingAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers, body: Buffer.from(text), isWhole };
}

/** The completion of a model that answers with a text. */
export function completionOf(content: string, tokens = 7): unknown {
  return {
    model: "small-1",
    choices: [{ message: { role: "assistant", content } }],
    usage: { total_tokens: tokens },
  };
}

/** What a model was asked, as JSON; undefined where the request is none to a model. */
export function askedOf({ body }: Pick<OutgoingRequest, "body">): Asked {
  const { messages } = JSON.parse(body);
  return JSON.parse(messages.at(-1).content);
}

export interface Asked {
  readonly locale: string;
  readonly source_locale: string;
  readonly style: string;
  readonly items: readonly {
    readonly id: number;
    readonly forms: readonly { readonly form: string; readonly source: string }[];
    readonly [context: string]: unknown;
  }[];
}

/** A model that gives each text by a function. */
export function modelOf(translate: (source: string, asked: Asked) => string) {
  return async (request: OutgoingRequest): Promise<OutgoingAnswer> => {
    const asked = askedOf(request);
    const items = asked.items.map(({ id, forms }) => ({
      id,
      forms: forms.map(({ form, source }) => ({ form, text: translate(source, asked) })),
    }));
    return answerOf(completionOf(JSON.stringify({ items })));
  };
}
