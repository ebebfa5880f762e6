/** Links between the pages of a list. */
import { figure } from "../requests/reader.ts";
import { toMeta, type PageQuery } from "../../schemas/page.ts";

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
