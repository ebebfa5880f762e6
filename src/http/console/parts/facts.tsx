/** Short facts on one line. */
import type { Child } from "hono/jsx";
import { figure } from "../requests/reader.ts";

/** @param props.items the facts; undefined, null and false are left out. */
export function Facts({ items }: { readonly items: readonly Child[] }) {
  const shown = items.filter((item) => item !== undefined && item !== null && item !== false);
  return (
    <ul class="facts">
      {shown.map((item) => (
        <li>{item}</li>
      ))}
    </ul>
  );
}

/** `1 string`, `2,000 strings`. */
export function countOf(n: number, noun: string): string {
  return `${figure(n)} ${noun}${n === 1 ? "" : "s"}`;
}
