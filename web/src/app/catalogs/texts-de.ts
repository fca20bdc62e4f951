import type { Catalogs } from "../language";

/** What the server says, of all folders. */
export const catalogs: Catalogs = import.meta.glob(
	["../messages/de.json", "../../ui/messages/de.json", "../../features/*/messages/de.json"],
	{ import: "default", eager: true, query: "?texts" },
);
