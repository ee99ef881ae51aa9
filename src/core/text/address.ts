/** The parts of an address, `service/Kind/key`. Only the key can contain slashes. */
export function addressParts(address: string): {
  readonly service: string;
  readonly kind: string;
  readonly key: string;
} {
  const [service = "", kind = "", ...key] = address.split("/");
  return { service, kind, key: key.join("/") };
}
