/** Texts of Android's resources: printf's arguments, and XML such as `<xliff:g>`, `<b>` and CDATA around them. */
import type { MessageSyntax } from "./message.ts";
import { printf } from "./printf.ts";

export const android: MessageSyntax = {
  ...printf,
  parse: (text) => printf.parse(withoutTags(text)),
  compareWith(source) {
    const compare = printf.compareWith(withoutTags(source));
    return (translation, context) => {
      const { sourceOther } = context;
      return compare(withoutTags(translation), {
        ...context,
        sourceOther: sourceOther && withoutTags(sourceOther),
      });
    };
  },
};

/** A text of the same length with blanks in place of its tags, whose attributes are examples and addresses. */
function withoutTags(text: string): string {
  return text.includes("<") ? text.replaceAll(/<[^<>]*>/g, (tag) => " ".repeat(tag.length)) : text;
}
