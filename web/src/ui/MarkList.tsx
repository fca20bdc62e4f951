import "./card.css";
import { Dialog } from "./Dialog";
import { formatShort } from "./format";
import { Link } from "./Link";
import type { Mark } from "./LiveChart";
import { type Status, StatusLabel } from "./StatusLabel";
import { useTranslation } from "./translation";

const looks: Record<Mark["kind"], Status> = { change: "neutral", fired: "danger", resolved: "success", notice: "info" };

/** MarkList is what happened around a moment, each with the page that tells more. */
export function MarkList({ marks, onClose }: { marks: Mark[]; onClose: () => void }) {
	const { t } = useTranslation("ui");
	const when = formatShort(new Date((marks[0]?.at ?? 0) * 1000));
	return (
		<Dialog title={t("chart.happened", { when })} size="medium" onClose={onClose}>
			<ul className="gw-rows">
				{marks.map((mark) => (
					<li key={`${mark.kind} ${mark.at} ${mark.to} ${mark.label}`}>
						<div className="gw-entry">
							<p>
								<Link to={mark.to} search={mark.search}>
									{mark.label}
								</Link>
							</p>
							<p className="gw-subtle">{formatShort(new Date(mark.at * 1000))}</p>
						</div>
						<StatusLabel status={looks[mark.kind]}>{t(`chart.kind.${mark.kind}`)}</StatusLabel>
					</li>
				))}
			</ul>
		</Dialog>
	);
}
