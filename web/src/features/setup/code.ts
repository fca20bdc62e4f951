const letters = 12;
const group = 4;

const clean = (text: string) => text.toUpperCase().replace(/[^0-9A-Z]/g, "");

/** groupCode writes a setup code as XXXX-XXXX-XXXX while it is typed, and says where the caret goes. */
export function groupCode(text: string, caret: number): { value: string; caret: number } {
	const code = clean(text).slice(0, letters);
	const value = code.match(new RegExp(`.{1,${group}}`, "g"))?.join("-") ?? "";
	const before = Math.min(clean(text.slice(0, caret)).length, letters);
	return { value, caret: before + (before > 0 ? Math.floor((before - 1) / group) : 0) };
}

/** isWholeCode says that a code has all its letters; whether it is the right one, the node knows. */
export const isWholeCode = (text: string) => clean(text).length === letters;
