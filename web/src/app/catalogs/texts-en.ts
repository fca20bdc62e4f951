import type { Catalogs } from "../language";

/** What the server says, of all folders. */
export const catalogs: Catalogs = import.meta.glob(
	["../messages/en.json", "../../ui/messages/en.json", "../../features/*/messages/en.json"],
	{ import: "default", eager: true, query: "?texts" },
);
