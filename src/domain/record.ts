/**
 * An object to which members of any name can be added. It has no prototype, so that `__proto__` is a name like any other.
 */
export function emptyRecord<T>(): Record<string, T> {
  const record: Record<string, T> = Object.create(null);
  return record;
}
