import {
	DescriptionList,
	DescriptionListDescription,
	DescriptionListGroup,
	DescriptionListTerm,
} from "@patternfly/react-core";
import type { ReactNode } from "react";

/** PropertyList shows names and values of one thing; undefined values are left out. */
export function PropertyList({ items }: { items: [name: string, value: ReactNode | undefined][] }) {
	return (
		<DescriptionList isHorizontal isCompact horizontalTermWidthModifier={{ default: "10ch", md: "20ch" }}>
			{items
				.filter(([, value]) => value !== undefined)
				.map(([name, value]) => (
					<DescriptionListGroup key={name}>
						<DescriptionListTerm>{name}</DescriptionListTerm>
						<DescriptionListDescription>{value}</DescriptionListDescription>
					</DescriptionListGroup>
				))}
		</DescriptionList>
	);
}
