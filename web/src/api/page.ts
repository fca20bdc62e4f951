/** ListQuery is what every list takes. */
export interface ListQuery {
	limit?: number;
	offset?: number;
	q?: string;
	sort?: string;
}

/** Page is a part of a list, and how long the list is in all. */
export interface Page<Row> {
	rows: Row[];
	total: number;
}

/** page awaits a generated list function and reads X-Total-Count beside the rows. */
export async function page<Row>(request: Promise<{ data: Row[]; response: Response }>): Promise<Page<Row>> {
	const { data, response } = await request;
	const total = Number(response.headers.get("X-Total-Count") ?? data.length);
	return { rows: data, total };
}

/** ifMatch is the header that makes a change fail with 412 when somebody was faster. */
export const ifMatch = (row: { revision: number }) => ({ "If-Match": `"${row.revision}"` });
