/** The groups that a flattened key lies in, outermost first: `a` and `a.b` for `a.b.c`. */
export function groupsOf(key: string): readonly string[] {
  const groups: string[] = [];
  for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1))
    groups.push(key.slice(0, dot));
  return groups;
}
