/** Mono is a value in letters of even width; all of it shows to whoever points at it. */
export function Mono({ children }: { children: string | undefined }) {
	return (
		<code className="gw-mono" title={children}>
			{children || "–"}
		</code>
	);
}
