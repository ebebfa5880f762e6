/** The messages of a `.ts` file of Qt with their places. */
import { contextSeparator } from "../../domain/text.ts";
import { effectiveByKey } from "../patch/nodes.ts";
import { errorAt } from "../patch/source-text.ts";
import { childOf, childrenOf, readXmlTree, type XmlElement } from "../patch/xml-tree.ts";

export interface QtMessage {
  /** The id; else the context, the source text, and the comment that tells it from others, if there is one. */
  readonly key: string;
  readonly context: string;
  readonly source: string;
  readonly element: XmlElement;
  readonly translation: XmlElement | undefined;
  readonly hasForms: boolean;
  /** Whether the translation is a draft. */
  readonly isUnfinished: boolean;
  /** The message with the same key that Qt takes in place of this one. */
  readonly effective?: QtMessage;
}

export interface QtFile {
  readonly root: XmlElement;
  readonly contexts: ReadonlyMap<string, XmlElement>;
  readonly messages: readonly QtMessage[];
  /** Messages whose texts have left the app. */
  readonly gone: readonly XmlElement[];
}

/** @throws FormatError when it cannot be read, or is of another kind, such as TypeScript. */
export function readQtFile(text: string): QtFile {
  if (!/^\s*</.test(text)) throw errorAt(text, 0, "is not a file of Qt's translations, which is XML");
  const root = readXmlTree(text, { takesDoctype: true });
  if (root.name !== "TS")
    throw errorAt(text, root.start, "is not a file of Qt's translations, whose root is <TS>");
  const contexts = new Map<string, XmlElement>();
  const messages: QtMessage[] = [];
  const gone: XmlElement[] = [];
  for (const parent of childrenOf(root, "context")) {
    const context = textOf(childOf(parent, "name"));
    contexts.set(context, parent);
    for (const element of childrenOf(parent, "message")) {
      const translation = childOf(element, "translation");
      const type = translation?.attributes.get("type");
      if (type === "vanished" || type === "obsolete") gone.push(element);
      else messages.push(toMessage(context, element, translation));
    }
  }
  return { root, contexts, messages: withRepeated(messages), gone };
}

/** Of messages with the same key, Qt takes the first that is translated, and warns of the others. */
function withRepeated(messages: readonly QtMessage[]): readonly QtMessage[] {
  const taken = effectiveByKey(
    messages,
    ({ key }) => key,
    (message, earlier) => !isTranslated(earlier) && isTranslated(message),
  );
  if (taken.size === messages.length) return messages;
  return messages.map((message) => {
    const effective = taken.get(message.key);
    return effective === message ? message : { ...message, effective };
  });
}

function isTranslated({ translation, hasForms }: QtMessage): boolean {
  const written = hasForms ? childrenOf(translation, "numerusform") : [translation];
  return written.some((one) => textOf(one) !== "");
}

function toMessage(context: string, element: XmlElement, translation: XmlElement | undefined): QtMessage {
  const source = textOf(childOf(element, "source"));
  const comment = textOf(childOf(element, "comment"));
  const id = element.attributes.get("id");
  const key = id ?? [context, source, ...(comment === "" ? [] : [comment])].join(contextSeparator);
  const hasForms = element.attributes.get("numerus") === "yes";
  const isUnfinished = translation?.attributes.get("type") === "unfinished";
  return { key, context, source, element, translation, hasForms, isUnfinished };
}

/** A text; `<byte value="x1b"/>` stands for a character that XML does not have. */
export function textOf(element: XmlElement | undefined): string {
  const parts = element?.children ?? [];
  return parts
    .map((part) => {
      if (typeof part === "string") return part;
      const [, hex, decimal] =
        /^(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(part.attributes.get("value") ?? "") ?? [];
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return part.name === "byte" && code <= 0x10ffff ? String.fromCodePoint(code) : "";
    })
    .join("");
}
