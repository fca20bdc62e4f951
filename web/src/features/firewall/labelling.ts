import type { Row } from "@api";

/** Labelled is a row that has keywords to search for. */
export type Labelled = Row & { labels: string[] };

/** Labelling is what is done to the labels of many rows. */
export interface Labelling {
	how: "add" | "remove";
	labels: string[];
}

/** labelled are the labels of a row afterwards, each once. */
export const labelled = ({ labels }: Labelled, { how, labels: given }: Labelling): string[] =>
	how === "add" ? [...new Set([...labels, ...given])] : labels.filter((label) => !given.includes(label));

/** changes says whether a row is another one afterwards. */
export const changes = (row: Labelled, given: Labelling) => labelled(row, given).length !== row.labels.length;

/** allLabels are those that any of the rows has, in order. */
export const allLabels = (rows: Labelled[]): string[] => [...new Set(rows.flatMap(({ labels }) => labels))].sort();
