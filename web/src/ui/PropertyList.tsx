import "./properties.css";
import type { ReactNode } from "react";

/** PropertyList shows names and values of one thing, in two even columns; undefined values are left out. */
export function PropertyList({ items }: { items: [name: string, value: ReactNode | undefined][] }) {
	return (
		<dl className="gw-properties">
			{items
				.filter(([, value]) => value !== undefined)
				.map(([name, value]) => (
					<div key={name}>
						<dt>{name}</dt>
						<dd>{value}</dd>
					</div>
				))}
		</dl>
	);
}
