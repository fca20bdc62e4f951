/**
 * Mark is our logo: two brackets lean together like the arch of a gate, and a line
 * passes through. It works in one colour and at 16 px.
 */
export function Mark({ size = 28 }: { size?: number }) {
	return (
		<svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" className="gw-mark">
			<path d="M6 28V15A10 10 0 0 1 13 5.5" />
			<path d="M26 28V15A10 10 0 0 0 19 5.5" />
			<path className="gw-mark-line" d="M12 19.5h8m-3.5-4 4 4-4 4" />
		</svg>
	);
}

/** Logo is the mark with our name. */
export function Logo({ size = 28 }: { size?: number }) {
	return (
		<span className="gw-logo">
			<Mark size={size} />
			<span className="gw-logo-name">Gateway</span>
		</span>
	);
}
