/** Every value that the `code` of an error can have. */
import { publicCodes } from "../../domain/errors.ts";

/** The codes of requests that Node refuses before the application sees them, by status. */
export const transportCodes = {
  400: "malformed_request",
  408: "request_timeout",
  417: "expectation_failed",
  431: "headers_too_large",
} as const;

export const internalCode = "internal_error";

export const errorCodes = [
  ...new Set([...Object.values(publicCodes).flat(), ...Object.values(transportCodes), internalCode] as const),
];
