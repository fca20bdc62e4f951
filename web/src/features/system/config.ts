import type { ChangePreview, ChangeRendered } from "@api";

/** resultsOf are the components of a new rendering, those with an error first. */
export function resultsOf({ rendered, errors }: Pick<ChangeRendered, "rendered" | "errors">) {
	const failed = Object.entries(errors).map(([component, error]) => ({ component, error }));
	return [...failed, ...rendered.map((component) => ({ component, error: undefined }))];
}

/** filesOf are the files of a preview by their paths, with their lengths in lines. */
export const filesOf = (previews: ChangePreview[]) =>
	previews
		.flatMap(({ files }) => Object.entries(files))
		.map(([path, text]) => ({ path, text, lines: linesOf(text) }))
		.sort((a, b) => a.path.localeCompare(b.path));

/** linesOf counts lines; the newline at the end of a file begins none. */
const linesOf = (text: string) => text.replace(/\n$/, "").split("\n").length - (text === "" ? 1 : 0);
