import { readable } from "./hostName";

/** DomainName is a name as it is stored, and how people write it where that is another form. */
export function DomainName({ name }: { name: string }) {
	const text = readable(name);
	return text ? (
		<>
			{name} <span className="gw-subtle">({text})</span>
		</>
	) : (
		name
	);
}
