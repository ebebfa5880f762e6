/** Links between the pages of a list, and between strings. */
import { figure } from "../requests/reader.ts";
import { toMeta, type PageQuery } from "../../schemas/page.ts";
import type { Neighbours } from "../../../domain/strings/string-search.ts";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveRequest } from "../requests/page.ts";
import { stringLink } from "./string-link.ts";
import { Code } from "./text.tsx";

/**
 * The number of this page, with links to the previous and the next one; nothing for a list of one page.
 * @param props.to makes the address of a page of the list.
 */
export function Pager({
  paging,
  total,
  to,
}: {
  readonly paging: PageQuery;
  readonly total: number;
  readonly to: (page: number) => string;
}) {
  const { page, per_page: perPage } = paging;
  const { last_page: last } = toMeta(paging, total);
  if (last <= 1) return null;
  const first = (page - 1) * perPage + 1;
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 ? (
        <a href={to(page - 1)} rel="prev">
          ← Previous
        </a>
      ) : (
        <span />
      )}
      <span>
        {first > total ? "None" : `${figure(first)} to ${figure(Math.min(first + perPage - 1, total))}`} of{" "}
        {figure(total)}
      </span>
      {page < last ? (
        <a href={to(page + 1)} rel="next">
          Next →
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}

/**
 * Links to the previous and the next string.
 * @param props.query of their addresses.
 */
export function Beside({
  request: { hiveLink },
  strings: { previous, next },
  query,
}: {
  readonly request: HiveRequest;
  readonly strings: Neighbours;
  readonly query: LinkQuery;
}) {
  return (
    <nav class="between" aria-label="Strings">
      {[previous, next].map((other, index) =>
        other === undefined ? (
          <span />
        ) : (
          <a href={stringLink(hiveLink, other.file, other.key, query)} rel={index === 0 ? "prev" : "next"}>
            {index === 0 && "← "}
            <Code name={other.key} />
            {index === 1 && " →"}
          </a>
        ),
      )}
    </nav>
  );
}
