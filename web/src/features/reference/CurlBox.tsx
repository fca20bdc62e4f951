import { CopyButton } from "@ui";
import { curlOf } from "./curl";
import type { Call } from "./request";

type Props = { title: string } & ({ call: Call; withToken: boolean } | { text: string });

/** CurlBox shows a command to copy. */
export function CurlBox({ title, ...rest }: Props) {
	const text = "text" in rest ? rest.text : curlOf(rest.call, window.location.origin, rest.withToken);
	return (
		<section className="gw-ref-code" aria-label={title}>
			<div className="gw-ref-bar">
				<span>{title}</span>
				<CopyButton text={text} />
			</div>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
			<pre tabIndex={0}>{text}</pre>
		</section>
	);
}
