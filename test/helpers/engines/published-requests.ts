/**
 * Requests to APIs that translate, by the parts of their published schemas that are used here, closed for all other
 * members.
 */
export const string = { type: "string" };
export const closed = (properties: Record<string, object>, required: readonly string[]) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
export const list = (items: object) => ({ type: "array", items, minItems: 1 });

/** openapi.yaml of openai/openai-openapi at f85dbe22 (2026-08-21): CreateChatCompletionRequest. */
export const openaiRequest = closed(
  {
    model: string,
    messages: list(closed({ role: { enum: ["system", "user"] }, content: string }, ["role", "content"])),
    response_format: closed(
      {
        type: { enum: ["json_schema", "json_object"] },
        json_schema: closed(
          {
            name: { type: "string", pattern: "^[a-zA-Z0-9_-]{1,64}$" },
            schema: { type: "object" },
            strict: { type: "boolean" },
          },
          ["name"],
        ),
      },
      ["type"],
    ),
  },
  ["model", "messages"],
);

/** openapi.json of DeepLcom/openapi 3.11.0 at d161fd2c (2026-06-30): POST /v2/translate; 50 texts are its documented limit. */
export const deeplRequest = closed(
  {
    text: { ...list(string), maxItems: 50 },
    source_lang: { type: "string", pattern: "^[A-Z]{2}$" },
    target_lang: { type: "string", pattern: "^[A-Z]{2}(-[A-Z]+)?$" },
    tag_handling: { enum: ["xml", "html"] },
    ignore_tags: list(string),
    preserve_formatting: { type: "boolean" },
    formality: { enum: ["default", "more", "less", "prefer_more", "prefer_less"] },
  },
  ["text", "target_lang"],
);

/** The description of POST /translate in app.py of LibreTranslate/LibreTranslate, which serves it at /docs. */
export const libretranslateRequest = closed(
  {
    q: { anyOf: [string, list(string)] },
    source: string,
    target: string,
    format: { enum: ["html", "text"] },
    alternatives: { type: "integer" },
    api_key: string,
  },
  ["q", "source", "target"],
);
