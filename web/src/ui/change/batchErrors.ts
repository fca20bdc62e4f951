import { ApiError } from "@api";
import { sentence } from "../errorText";
import { serverText } from "../serverText";

/** Where the server complains about a part of a batch: "operations[16]", "operations[16].body.name". */
const place = /^operations\[(\d+)\](?:\.body\.(.+))?$/;

/**
 * batchErrors words what is wrong with a batch by the names of what it was for: "shop.example.com: It is used by …".
 * Undefined when the server did not complain about one of them.
 */
export function batchErrors(error: unknown, names: string[]): string[] | undefined {
	if (!(error instanceof ApiError)) return undefined;
	const told = error.fields.flatMap(({ field, ...said }) => {
		const [, at = "", inner] = place.exec(field) ?? [];
		const name = at === "" ? undefined : names[Number(at)];
		const about = [name, inner].filter(Boolean).join(", ");
		return name === undefined ? [] : [`${about}: ${sentence(serverText(said))}`];
	});
	return told.length > 0 ? told : undefined;
}
