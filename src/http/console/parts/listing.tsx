/** A table of things of one kind; on small screens one block for each, with the names of the columns in it. */
import type { Child } from "hono/jsx";

/**
 * @param props.columns their names; the first tells what is listed.
 * @param props.rows the cells of each, as many as there are columns, and what can be done with it.
 */
export function Listing({
  columns,
  rows,
}: {
  readonly columns: readonly string[];
  readonly rows: readonly {
    /** Where links to it lead. */
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
