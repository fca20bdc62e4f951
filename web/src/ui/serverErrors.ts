import type { ApiError } from "@api";
import { serverText } from "./serverText";

/** Placed is where the messages of a failed save go. */
export interface Placed {
	/** Messages that stand at an input of the form. */
	atField: { name: string; message: string }[];
	/** What has no input here, and so stands above the form. */
	above: string[];
}

/** toPath turns the server's JSON path into react-hook-form's: "servers[2].port" → "servers.2.port". */
export const toPath = (field: string) => field.replace(/\[(\d+)\]/g, ".$1");

/** place sorts the messages of an error by where they can be shown. */
export function place(error: ApiError, names: string[]): Placed {
	const placed: Placed = { atField: [], above: [] };
	for (const { field, ...said } of error.fields) {
		const message = serverText(said);
		const name = toPath(field);
		const [list = "", at] = name.split(".");
		const told = placed.atField.some((one) => one.name === list);
		if (names.includes(name)) placed.atField.push({ name, message });
		// An entry of a list: the input is the list's, so the message says which one.
		else if (names.includes(list) && /^\d+$/.test(at ?? "") && !told)
			placed.atField.push({ name: list, message: `${Number(at) + 1}: ${message}` });
		else if (told) continue;
		else placed.above.push(field ? `${field}: ${message}` : message);
	}
	if (error.fields.length === 0) placed.above.push(serverText(error));
	return placed;
}
