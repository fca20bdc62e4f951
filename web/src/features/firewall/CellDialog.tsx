import { type FirewallCell, type FirewallReason, useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { useNavigate } from "@tanstack/react-router";
import { Dialog, Link } from "@ui";
import { useTranslation } from "@ui/translation";
import { ActionLabel } from "./ActionLabel";
import { placeOf } from "./links";
import { gateway, listOf, remarkOf, startBetween, wordsOf } from "./matrix";
import { linkTo } from "./rule";

/** CellDialog is what passes between two zones, what decides it, and the way to a new rule. */
export function CellDialog({ cell, onClose }: { cell: FirewallCell; onClose: () => void }) {
	const { t } = useTranslation("firewall");
	const admin = useCan("admin");
	const navigate = useNavigate();
	const go = (search: Record<string, string>) => void navigate({ to: "/firewall", search: search as never });
	const to = cell.dst === gateway ? t("matrix.gateway") : cell.dst;
	const between = startBetween(cell);
	const footer = (
		<>
			{admin && <Button onClick={() => go(linkTo(between))}>{t("matrix.newRule")}</Button>}
			<Button variant="link" onClick={() => go({ src: between.src_zone, dst: between.dst_zone })}>
				{t("matrix.showRules")}
			</Button>
		</>
	);
	return (
		<Dialog
			title={t("matrix.title", { from: cell.src, to })}
			description={[wordsOf(cell, t), remarkOf(cell, t)].filter(Boolean).join(", ")}
			onClose={onClose}
			footer={footer}
		>
			<Services cell={cell} />
			<Reasons cell={cell} />
		</Dialog>
	);
}

function Services({ cell }: { cell: FirewallCell }) {
	const { t } = useTranslation("firewall");
	const list = listOf(cell, t);
	if (!list) return null;
	return (
		<section className="gw-fw-cell">
			<h2>{list.title}</h2>
			<p>
				{list.services.map((service) => (
					<code key={service}>{service}</code>
				))}
				{list.more > 0 && t("uses.more", { count: list.more })}
			</p>
		</section>
	);
}

function Reasons({ cell }: { cell: FirewallCell }) {
	const { t } = useTranslation("firewall");
	if (cell.reason) return null;
	return (
		<section className="gw-fw-cell">
			<h2>{t("matrix.decided")}</h2>
			<ol>
				{cell.decided.map((reason) => (
					<li key={`${reason.kind} ${reason.id ?? reason.why ?? reason.name}`}>
						<ActionLabel action={reason.action} /> <What reason={reason} />
					</li>
				))}
				{cell.more && <li>{t("matrix.more")}</li>}
				<li>
					<ActionLabel action="drop" /> {t("matrix.default")}
				</li>
			</ol>
		</section>
	);
}

const kinds: Record<string, "rule" | "nat-rule"> = { rule: "rule", translated: "nat-rule" };

/** What decides, with the way to it where there is one. */
function What({ reason }: { reason: FirewallReason }) {
	const { t } = useTranslation("firewall");
	const kind = kinds[reason.kind];
	if (!kind || !reason.id) return t(`matrix.by.${reason.kind}`, { name: reason.name ?? "", why: reason.why ?? "" });
	return (
		<>
			{t(`uses.kind.${kind}`)} <Link {...placeOf({ kind, id: reason.id })}>{reason.name}</Link>
		</>
	);
}
