/**
 * Programs get a token of a person by a code (RFC 8628): the program shows a code, the person types it into the console,
 * sees who asks, and allows it.
 */
import { randomBytes, randomInt } from "node:crypto";
import { networkOf } from "../../domain/access/network.ts";
import { cleanLine } from "../../domain/commits/commit-message.ts";
import { failure, SkepError, type PublicCode } from "../../domain/errors.ts";
import type { PersonId } from "../../domain/names.ts";
import { deviceLifetimeMs, type DeviceRequest } from "../../store/settings/program-codes.ts";
import { type TeamGrant, hashToken } from "../access.ts";
import { beginAttempt } from "../sign-in.ts";
import type { AccessStorage } from "../storage.ts";
import { personOf } from "./own.ts";
import { makeProgramToken } from "./program-token.ts";

const intervalMs = 5 * 1000;
/** How many programs may ask at once from one network, and in all. */
const maxOfPlace = 20;
const maxInAll = 1000;
const maxNameLength = 100;
/** Letters that are not taken for others, and make no words. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";

/** What a program is told that asks. Times are in seconds. */
export interface DeviceCode {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly expires_in: number;
  readonly interval: number;
}

/**
 * Takes the request of a program that wants a token of a person.
 * @param from the client's address, and the name of its machine as it says it.
 * @param publicUrl the address of the server as people open it.
 * @throws SkepError `not-implemented` without that address; `too-many-attempts` when too many ask.
 */
export async function askForToken(
  { deviceCodes, now: clock }: AccessStorage,
  { client, name }: { readonly client: string | undefined; readonly name: string },
  publicUrl: string | undefined,
): Promise<DeviceCode> {
  if (publicUrl === undefined) {
    throw failure(
      "not-implemented",
      "This server was started without --public-url, so nobody can allow a sign-in by code: use a token.",
    );
  }
  const now = clock();
  const code = randomBytes(32).toString("base64url");
  const user = Array.from({ length: 8 }, () => letters.charAt(randomInt(letters.length))).join("");
  const place = networkOf(client ?? "");
  const request: DeviceRequest = {
    device: hashToken(code),
    user,
    place,
    client,
    name: cleanLine(name, maxNameLength),
    ends: now + deviceLifetimeMs,
  };
  requireRoom(await deviceCodes.read(), place);
  await deviceCodes.update((before) => {
    requireRoom(before, place);
    return [...before, request];
  });
  return {
    device_code: code,
    user_code: `${user.slice(0, 4)}-${user.slice(4)}`,
    verification_uri: `${publicUrl}/device`,
    expires_in: deviceLifetimeMs / 1000,
    interval: intervalMs / 1000,
  };
}

function requireRoom(open: readonly DeviceRequest[], place: string): void {
  if (open.length < maxInAll && open.filter((other) => other.place === place).length < maxOfPlace) return;
  throw new SkepError("too-many-attempts", "Too many programs ask for a token; try again in 10 minutes.", {
    retryAfter: deviceLifetimeMs / 1000,
  });
}

/** The codes that were asked about last, and when; by each process, so that a program may ask two sooner. */
const lastAsked = new Map<string, number>();

/**
 * The token of a program, once the person has allowed it.
 * @throws SkepError `malformed` with one of the codes of RFC 8628; what {@link createPersonalToken} throws.
 */
export async function takeDeviceToken(storage: AccessStorage, code: string): Promise<string> {
  const { deviceCodes, now: clock } = storage;
  const now = clock();
  const device = hashToken(code);
  const request = (await deviceCodes.read()).find((other) => other.device === device);
  if (request === undefined) throw refused("expired_code", "This code has ended, or was never given.");
  if (request.isDenied) throw refused("access_denied", "The person has refused.");
  if (request.person === undefined) {
    const last = lastAsked.get(device) ?? 0;
    if (lastAsked.size > maxInAll) lastAsked.clear();
    lastAsked.set(device, now);
    // A little sooner may be the network.
    if (last <= now && now - last < intervalMs - 1000) throw refused("slow_down", "Ask every 5 seconds.");
    throw refused("authorization_pending", "The person has not answered yet.");
  }
  // It leaves before the token is made: of two who ask at once, one gets a token.
  await deviceCodes.update((before) => {
    if (!before.some((other) => other.device === device)) {
      throw refused("expired_code", "This code was used.");
    }
    return before.filter((other) => other.device !== device);
  });
  const { person, name, client } = request;
  const made = await makeProgramToken(storage, { person, name, client, method: "device" });
  if (made === undefined) throw refused("access_denied", "The person has left, or may not read any more.");
  return made.token;
}

/**
 * The person who is signed in.
 * @throws SkepError `forbidden` for a token, which may do less than its person, and so may what it allows.
 */
export function requireSelf(grant: TeamGrant): PersonId {
  const person = personOf(grant);
  if (grant.token !== undefined) throw failure("forbidden", "Sign in as yourself, and not with a token.");
  return person;
}

/** How many wrong codes an address may try in 15 minutes. */
const maxWrong = 20;

/**
 * The program that shows a code.
 * @param typed in any case, with or without the hyphen.
 * @throws SkepError `forbidden` for a caller that is a token of nobody; `not-found`; `too-many-attempts`.
 */
export async function askingDevice(
  storage: AccessStorage,
  grant: TeamGrant,
  typed: string,
): Promise<DeviceRequest> {
  const person = requireSelf(grant);
  const open = await storage.deviceCodes.read();
  const takeBack = beginAttempt(storage, ":device", person, { most: maxWrong, tried: "wrong codes" });
  const user = typed.toUpperCase().replaceAll(/[\s-]/g, "");
  const request = open.find((other) => other.user === user);
  if (request === undefined || isAnswered(request)) {
    throw failure("not-found", "No program shows this code now. Codes end after 10 minutes.");
  }
  takeBack();
  return request;
}

function isAnswered({ person, isDenied }: DeviceRequest): boolean {
  return person !== undefined || isDenied === true;
}

/** Allows or refuses a program. @throws SkepError as {@link askingDevice} does. */
export async function answerDevice(
  storage: AccessStorage,
  grant: TeamGrant,
  typed: string,
  isAllowed: boolean,
): Promise<void> {
  const { device } = await askingDevice(storage, grant, typed);
  const answer = isAllowed ? { person: personOf(grant) } : { isDenied: true as const };
  await storage.deviceCodes.update((before) =>
    before.map((other) => (other.device === device && !isAnswered(other) ? { ...other, ...answer } : other)),
  );
}

function refused(publicCode: PublicCode<"malformed">, message: string): SkepError {
  return failure("malformed", message, { publicCode });
}
