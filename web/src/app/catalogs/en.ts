import type { Catalogs } from "../language";

/** One module, so that the browser loads one file for the words of all folders. */
export const catalogs: Catalogs = import.meta.glob(
	["../messages/en.json", "../../ui/messages/en.json", "../../features/*/messages/en.json"],
	{ import: "default", eager: true, query: "?words" },
);
