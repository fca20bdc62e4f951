import "./figures.css";

export interface Figure {
	title: string;
	value: string;
	/** A few more words under it. */
	hint?: string;
	/** Drawn as a bar, 0 to 1. */
	share?: number;
}

/** Figures shows the numbers of a service, large, in as many columns as fit. */
export function Figures({ label, items }: { label: string; items: Figure[] }) {
	return (
		<section aria-label={label}>
			<dl className="gw-figures">
				{items.map(({ title, value, hint, share }) => (
					<div key={title} className="gw-panel">
						<dt>{title}</dt>
						<dd>
							<strong>{value}</strong>
							{share !== undefined && (
								<span className="gw-figures-bar" aria-hidden="true">
									<span style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%` }} />
								</span>
							)}
							{hint && <span className="gw-figures-hint">{hint}</span>}
						</dd>
					</div>
				))}
			</dl>
		</section>
	);
}
