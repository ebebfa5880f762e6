/** A table; on small screens, each row becomes a block with the names of the columns. */
import type { Child } from "hono/jsx";

/**
 * @param props.columns the names of the columns.
 * @param props.rows the cells of each row, one for each column, and its buttons.
 */
export function Listing({
  columns,
  rows,
}: {
  readonly columns: readonly string[];
  readonly rows: readonly {
    /** The anchor for links to the row. */
    readonly id?: string;
    readonly cells: readonly Child[];
    readonly action?: Child;
  }[];
}) {
  return (
    <table class="listing">
      <thead>
        <tr>
          {columns.map((name) => (
            <th scope="col">{name}</th>
          ))}
          {rows.some(({ action }) => action !== undefined) && (
            <th scope="col">
              <span class="visually-hidden">Action</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, cells: [first, ...cells], action }) => (
          <tr id={id}>
            <th scope="row">{first}</th>
            {cells.map((cell, index) => (
              <td data-label={columns[index + 1]}>{cell}</td>
            ))}
            {action !== undefined && <td class="action">{action}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
