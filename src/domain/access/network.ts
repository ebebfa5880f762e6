/** The network of a client: whoever has an IPv6 address has a whole network of them. */

/** An IPv4 address as it is; the first 64 bits of an IPv6 address, as `2001:db8:0:1::/64`. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [before = "", after] = address.toLowerCase().replace(/%.*$/, "").split("::");
  const head = before === "" ? [] : before.split(":");
  // An IPv4 address at the end stands for two groups.
  const tail = (after ?? "").replace(/[0-9.]+\.[0-9.]+$/, "0:0").split(":");
  const gap = after === undefined ? 0 : Math.max(0, 8 - head.length - (after === "" ? 0 : tail.length));
  const groups = [...head, ...Array.from({ length: gap }, () => "0"), ...tail].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
