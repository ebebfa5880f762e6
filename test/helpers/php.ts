/** Reads PHP files that return an array, with a real PHP parser, into what `json_encode` would make of them. */
import { Engine } from "php-parser";

interface PhpNode {
  readonly kind: string;
  readonly value?: unknown;
  readonly key?: PhpNode | null;
  readonly items?: readonly PhpNode[];
  readonly expr?: PhpNode;
  readonly children?: readonly PhpNode[];
  readonly isDoubleQuote?: boolean;
}

/** The array that a file returns. @throws Error when the file is, or does, anything else. */
export function readPhpArray(code: string): unknown {
  const program: PhpNode = new Engine({}).parseCode(code, "file.php");
  const statements = (program.children ?? []).filter(({ kind }) => kind !== "inline");
  const [statement, ...others] = statements;
  if (program.children?.length !== 1 || others.length > 0 || statement?.kind !== "return") {
    throw new Error("the file does more than return");
  }
  return toValue(statement.expr);
}

function toValue(node: PhpNode | undefined): unknown {
  if (node?.kind === "string" && node.isDoubleQuote !== true && typeof node.value === "string")
    return node.value;
  if (node?.kind !== "array" || node.items === undefined)
    throw new Error(`unexpected ${node?.kind ?? "nothing"}`);
  const entries = new Map<string, unknown>();
  let next = 0;
  for (const item of node.items) {
    const key = item.key == null ? String(next) : toKey(item.key);
    if (entries.has(key)) throw new Error(`repeated key ${key}`);
    if (typeof item.value !== "object" || item.value === null) throw new Error("unexpected entry");
    entries.set(key, toValue(item.value as PhpNode));
    if (/^(0|[1-9]\d{0,17})$/.test(key)) next = Math.max(next, Number(key) + 1);
  }
  const isList = [...entries.keys()].every((key, i) => key === String(i));
  return isList ? [...entries.values()] : Object.fromEntries(entries);
}

function toKey(node: PhpNode): string {
  if (node.kind === "string" || node.kind === "number") return String(node.value);
  throw new Error(`unexpected key ${node.kind}`);
}
