/** The names in the audit log. The help of commands lists them, which loads no schemas. */

export const auditEvents = [
  "person_added",
  "person_changed",
  "person_disabled",
  "person_enabled",
  "person_removed",
  "invited",
  "invitation_used",
  "signed_in",
  "sign_in_refused",
  "token_created",
  "token_revoked",
  "session_ended",
  "mirror_added",
  "mirror_changed",
  "mirror_removed",
  "webhook_added",
  "webhook_changed",
  "webhook_secret_changed",
  "webhook_removed",
  "engine_added",
  "engine_changed",
  "engine_removed",
] as const;
export type AuditEventName = (typeof auditEvents)[number];

export const signInMethods = [
  "token",
  "passkey",
  "password",
  "invitation",
  "oidc",
  "device",
  "oauth",
] as const;
export type SignInMethod = (typeof signInMethods)[number];
