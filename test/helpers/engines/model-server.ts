/** A server of the OpenAI protocol that others wrote, with a model of ours behind it. */
import { LLMock } from "@copilotkit/aimock";
import { onTestFinished } from "vitest";

/** Starts one, which ends with the test. @param translate gives the text for a source text. */
export async function startModel(translate: (source: string) => string): Promise<LLMock> {
  const model = new LLMock({ port: 0 });
  model.on({}, ({ messages }) => {
    const content = messages.at(-1)?.content;
    const asked = JSON.parse(typeof content === "string" ? content : "");
    const items = asked.items.map(
      ({ id, forms }: { id: number; forms: { form: string; source: string }[] }) => ({
        id,
        forms: forms.map(({ form, source }) => ({ form, text: translate(source) })),
      }),
    );
    return { content: JSON.stringify({ items }) };
  });
  await model.start();
  onTestFinished(() => model.stop());
  return model;
}
