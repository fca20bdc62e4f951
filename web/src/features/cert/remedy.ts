import { sentence } from "@ui";
import type { TFunction } from "i18next";

interface Told {
	code: string | null;
	/** As the server words it. */
	remedy: string | null;
}

/** said makes a sentence of a message; a name at its beginning stays as it is. */
export const said = (message: string) => (/^[\w-]+\.\w/.test(message) ? message : sentence(message));

/** remedyOf is what to do about a code: in the reader's words where we have them, else in the server's. */
export function remedyOf(t: TFunction, { code, remedy }: Told): string {
	return t(`remedy.${code}`, { defaultValue: remedy ?? "" });
}
