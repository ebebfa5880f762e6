/** JSON put together from parts that are bytes already. */

/** An object whose members are JSON in bytes. */
export function joinObject(members: Readonly<Record<string, Uint8Array>>): Buffer {
  const named = Object.entries(members).map(([name, value]) =>
    Buffer.concat([Buffer.from(`${JSON.stringify(name)}:`), value]),
  );
  return enclose(named);
}

/** One object of the members of several, all JSON in bytes without blanks around them. */
export function joinMembers(objects: readonly Uint8Array[]): Buffer {
  return enclose(objects.map((object) => object.subarray(1, -1)).filter(({ byteLength }) => byteLength > 0));
}

function enclose(members: readonly Uint8Array[]): Buffer {
  const comma = Buffer.from(",");
  const parts = members.flatMap((member, i) => (i === 0 ? [member] : [comma, member]));
  return Buffer.concat([Buffer.from("{"), ...parts, Buffer.from("}")]);
}
