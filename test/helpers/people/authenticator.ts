/** A device with passkeys, in software, which can also lie. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** What a device may do wrong. */
export interface Lies {
  readonly origin?: string;
  readonly rpId?: string;
  readonly isVerified?: boolean;
  readonly userHandle?: string;
  readonly type?: string;
  readonly challenge?: string;
}

interface Options {
  readonly challenge: string;
}

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64url");
const sha256 = (bytes: Uint8Array | string): Buffer => createHash("sha256").update(bytes).digest();

/** Bytes or a text in CBOR, of at most 65,535 bytes. */
function cbor(major: 2 | 3, content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content);
  const { length } = bytes;
  const head = length < 24 ? [(major << 5) | length] : [(major << 5) | 25, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** @param at the address of the server. */
export function makeDevice(at: string, person = "anna") {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(16);
  const { origin, hostname } = new URL(at);
  let counter = 0;

  const clientData = (type: string, { challenge }: Options, lies: Lies): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const authenticatorData = (
    { rpId = hostname, isVerified = true }: Lies,
    flags: number,
    more: Buffer,
  ): Buffer => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags | 1 | (isVerified ? 4 : 0)]), count, more]);
  };

  return {
    setCounter: (value: number) => void (counter = value),
    /** Answers the options of an invitation. */
    create(options: Options, lies: Lies = {}): string {
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      const key = Buffer.concat([
        Buffer.from("a5010203262001215820", "hex"),
        Buffer.from(x, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y, "base64url"),
      ]);
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        cbor(3, "fmt"),
        cbor(3, "none"),
        cbor(3, "attStmt"),
        Buffer.from([0xa0]),
        cbor(3, "authData"),
        cbor(2, authenticatorData(lies, 0x40, credential)),
      ]);
      return JSON.stringify({
        id: base64url(id),
        rawId: base64url(id),
        type: "public-key",
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(clientData("webauthn.create", options, lies)),
          attestationObject: base64url(attestationObject),
        },
      });
    },
    /** Answers the options of the sign-in page. */
    get(options: Options, lies: Lies = {}): string {
      const data = authenticatorData(lies, 0, Buffer.alloc(0));
      const client = clientData("webauthn.get", options, lies);
      return JSON.stringify({
        id: base64url(id),
        rawId: base64url(id),
        type: "public-key",
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(sign("sha256", Buffer.concat([data, sha256(client)]), privateKey)),
          userHandle: base64url(lies.userHandle ?? person),
        },
      });
    },
  };
}
