import type { FreeradiusSignIn, RadiusSignInResult } from "@api";
import type { Status } from "@ui";

/** Result is what came of a sign-in, or of a test of one. */
export type Result = FreeradiusSignIn["result"] | RadiusSignInResult["result"];

/** lookOf is the colour of a result: who was let in is green. */
export const lookOf = (result: Result): Status => (result === "accepted" ? "success" : "warning");
