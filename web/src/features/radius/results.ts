import type { FreeradiusSignIn, RadiusSignInResult } from "@api";
import type { Status } from "@ui";

/** Result is what came of a sign-in, or of a test of one. */
export type Result = FreeradiusSignIn["result"] | RadiusSignInResult["result"];

/** good is the colour of what is as it should be: green, as long as that was seen just now. */
export const good = (current: boolean): Status => (current ? "success" : "neutral");

/** lookOf is the colour of a result: who was let in is green. */
export const lookOf = (result: Result, current: boolean): Status => (result === "accepted" ? good(current) : "warning");
