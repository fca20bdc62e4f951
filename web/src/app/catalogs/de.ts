import type { Catalogs } from "../language";

/** One module, so that the browser loads one file for the words of all folders. */
export const catalogs: Catalogs = import.meta.glob(
	["../messages/de.json", "../../ui/messages/de.json", "../../features/*/messages/de.json"],
	{ import: "default", eager: true, query: "?words" },
);
