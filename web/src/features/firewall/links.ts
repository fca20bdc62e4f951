interface Place {
	to: string;
	search: Record<string, string>;
}

/** placeOf is where a rule can be looked at and changed. */
export const placeOf = ({ kind, id }: { kind: "rule" | "nat-rule"; id: string }): Place => ({
	to: "/firewall",
	search: { ...(kind === "nat-rule" && { tab: "nat" }), do: "edit", id },
});
