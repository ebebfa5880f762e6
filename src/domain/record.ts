/**
 * An object to which members of any name can be added. It has no prototype, so that `__proto__` is a name like any other.
 */
export function emptyRecord<T>(): Record<string, T> {
  const record: Record<string, T> = Object.create(null);
  return record;
}

/** The type of {@link withoutNulls}. */
type WithoutNulls<T> = {
  readonly [K in keyof T]: Exclude<T[K], null> | (null extends T[K] ? undefined : never);
};

/** An object without the members that are null: in requests, one that is null is one that is not given. */
export function withoutNulls<T extends object>(object: T): WithoutNulls<T>;
export function withoutNulls(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
