/** What something is about: every protocol, one service, or a group of them. The API has two ids for it, a form asks one thing. */
export type ServiceKind = "any" | "object" | "group";

interface Refers {
	service_object_id?: string | null;
	service_group_id?: string | null;
}

/** Served is a row, or what is sent, with the kind beside the ids. */
export type Served<T extends Refers> = T & { service_kind: ServiceKind };

const kindOf = ({ service_object_id: one, service_group_id: group }: Refers): ServiceKind =>
	one ? "object" : group ? "group" : "any";

/** isRows tells a list from one row. */
const isRows = (data: object): data is Refers[] => Array.isArray(data);

type Kinded<D> = D extends (infer R extends Refers)[] ? Served<R>[] : D extends Refers ? Served<D> : D;

/** served puts the kind beside the ids of everything that an answer holds. A dry run's answer stays what it is. */
export function served<D extends object>(answer: { data: D; response: Response }) {
	const { data, response } = answer;
	const named = isRows(data) ? data.map((row) => ({ ...row, service_kind: kindOf(row) })) : one(data);
	return { data: named as Kinded<D>, response };
}

const one = (data: object) => ("id" in data ? { ...data, service_kind: kindOf(data as Refers) } : data);

/** serving is what the API takes of it. */
export function serving<T extends object>(body: T & { service_kind?: ServiceKind }): Omit<T, "service_kind"> {
	const { service_kind: _, ...rest } = body;
	return rest;
}
