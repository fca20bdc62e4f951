/** Method is the verb of a request, in its colour. */
export function Method({ method }: { method: string }) {
	return (
		<span className="gw-ref-method" data-method={method}>
			{method}
		</span>
	);
}
