/** Every word that the `code` of an error may be. */
import { publicCodes } from "../../domain/errors.ts";

/** Of requests that are refused before the application sees them. */
export const transportCodes = {
  400: "malformed_request",
  408: "request_timeout",
  417: "expectation_failed",
  431: "headers_too_large",
} as const;

/** Of faults of the server. */
export const internalCode = "internal_error";

export const errorCodes = [
  ...new Set([...Object.values(publicCodes).flat(), ...Object.values(transportCodes), internalCode] as const),
];
