import "./diff.css";
import { Fragment, useMemo } from "react";
import { useTranslation } from "../translation";
import { type DiffLine, type Hunk, parseDiff } from "./unifiedDiff";

const signs = { same: " ", added: "+", removed: "−" };
/** A first rendering of everything is long; the file itself has the rest. */
const most = 2_000;

/** UnifiedDiff shows what diff -u wrote, with the numbers of the lines and a colour and a sign for what differs. */
export function UnifiedDiff({ diff, label }: { diff: string; label: string }) {
	const { t } = useTranslation("ui");
	const { hunks, left } = useMemo(() => cut(parseDiff(diff)), [diff]);
	if (hunks.length === 0) return <p className="gw-udiff-none">{t("change.sameFile")}</p>;
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
		<section className="gw-udiff" aria-label={label} tabIndex={0}>
			<table>
				<tbody>
					{hunks.map((hunk, n) => (
						<Fragment key={`${hunk.before} ${hunk.after}`}>
							{(n > 0 || hunk.before > 1) && (
								<tr data-kind="gap">
									<td colSpan={4}>{t("change.line", { n: hunk.after })}</td>
								</tr>
							)}
							{hunk.lines.map((line) => (
								<Line key={`${line.before} ${line.after}`} line={line} />
							))}
						</Fragment>
					))}
				</tbody>
			</table>
			{left > 0 && <p className="gw-udiff-none">{t("change.linesLeft", { count: left })}</p>}
		</section>
	);
}

function Line({ line }: { line: DiffLine }) {
	const { t } = useTranslation("ui");
	return (
		<tr data-kind={line.kind}>
			<td data-n={line.before ?? ""} />
			<td data-n={line.after ?? ""} />
			<td>
				<span aria-hidden="true">{signs[line.kind]}</span>
				{line.kind !== "same" && <span className="pf-v6-screen-reader">{t(`change.${line.kind}`)}</span>}
			</td>
			<td>{line.text}</td>
		</tr>
	);
}

function cut(hunks: Hunk[]): { hunks: Hunk[]; left: number } {
	let room = most;
	let left = 0;
	const out: Hunk[] = [];
	for (const hunk of hunks) {
		const lines = hunk.lines.slice(0, Math.max(0, room));
		left += hunk.lines.length - lines.length;
		room -= hunk.lines.length;
		if (lines.length > 0) out.push({ ...hunk, lines });
	}
	return { hunks: out, left };
}
