import { CopyButton, formatNumber, type Status, StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";
import type { Reply } from "./useSend";

/** More than this is cut off on screen; the copy has it all. */
const longest = 100_000;

const statusOf = (status: number): Status => (status < 300 ? "success" : status < 500 ? "warning" : "danger");

/** ReplyView shows what came back. */
export function ReplyView({ reply }: { reply: Reply }) {
	const { t } = useTranslation("reference");
	const { status, statusText, took, headers, text } = reply;
	return (
		<section className="gw-ref-code" aria-label={t("reply.title")}>
			<div className="gw-ref-bar">
				<span role="status" className="gw-ref-reply">
					<StatusLabel status={statusOf(status)}>{`${status} ${statusText}`.trim()}</StatusLabel>
					{t("reply.took", { time: formatNumber(took) })}
				</span>
				<CopyButton text={text} label={t("reply.copy")} />
			</div>
			{headers.length > 0 && (
				<dl className="gw-ref-headers">
					{headers.map(([name, value]) => (
						<div key={name}>
							<dt>{name}</dt>
							<dd>{value}</dd>
						</div>
					))}
				</dl>
			)}
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
			<pre tabIndex={0}>{text.slice(0, longest) || "–"}</pre>
			{text.length > longest && <p className="gw-ref-text">{t("reply.cut")}</p>}
		</section>
	);
}
