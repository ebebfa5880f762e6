/** The code that a Markdown page shows. */

export interface CodeBlock {
  /** What follows the opening fence: `sh`, `yaml`. */
  readonly language: string;
  readonly code: string;
  /** The line of the page on which the code begins. */
  readonly line: number;
}

/** The fenced blocks of a page, in its order. */
export function codeBlocks(page: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { readonly language: string; readonly line: number; readonly code: string[] } | undefined;
  for (const [index, line] of page.split("\n").entries()) {
    if (!line.startsWith("```")) open?.code.push(line);
    else if (open === undefined) open = { language: line.slice(3).trim(), line: index + 2, code: [] };
    else {
      blocks.push({ language: open.language, line: open.line, code: open.code.join("\n") });
      open = undefined;
    }
  }
  return blocks;
}
