/** Labels are the keywords of a rule. */
export function Labels({ of: { labels } }: { of: { labels: string[] } }) {
	return labels.map((label) => (
		<span key={label} className="gw-fw-label" title={label}>
			{label}
		</span>
	));
}
