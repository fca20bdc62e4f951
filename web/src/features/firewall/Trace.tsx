import type { PacketfilterDecider, PacketfilterStep, PacketfilterTrace } from "@api";
import { Link } from "@ui";
import { useTranslation } from "@ui/translation";
import { useEffect, useRef } from "react";
import { ActionLabel } from "./ActionLabel";
import { at } from "./connections";
import { stagesOf, stepText } from "./explain";
import { placeOf } from "./links";

/** Trace is a packet's way: what happens to it, what decided that, and every stop before. */
export function Trace({ trace }: { trace: PacketfilterTrace }) {
	const { t } = useTranslation("firewall");
	const { translated, decided } = trace;
	const box = useRef<HTMLElement>(null);
	// Below the form, it may be out of sight.
	useEffect(() => {
		// Newer browsers answer with a promise, which React would take for what to do at the end.
		void box.current?.scrollIntoView?.({ block: "start", behavior: "smooth" });
	}, []);
	// The rule that decides may have chosen the uplinks before: that is no decision.
	const decides = (step: PacketfilterStep) =>
		step.matched &&
		step.kind === decided.kind &&
		(step.id ?? "") === (decided.id ?? "") &&
		!(step.stage === "routing" && step.kind === "rule");
	return (
		<section ref={box} className="gw-fw-trace" aria-label={t("explain.way")}>
			<p className="gw-fw-verdict">
				<ActionLabel action={trace.verdict} done />
				<Decided by={decided} />
			</p>
			{translated?.destination && <p>{t("explain.dnat", { to: at(translated.destination, translated.port) })}</p>}
			{(translated?.source || translated?.masquerade) && (
				<p>{t("explain.snat", { source: translated.source ?? t("explain.ownAddress", { link: trace.out ?? "" }) })}</p>
			)}
			{trace.uplink_group && trace.verdict === "accept" && <p>{t("explain.uplinks", { name: trace.uplink_group })}</p>}
			<ol className="gw-fw-stages">
				{stagesOf(trace.steps).map(({ stage, steps }) => (
					<li key={stage}>
						<h3>{t(`stage.${stage}`)}</h3>
						<ol>
							{steps.map((step, place) => (
								// biome-ignore lint/suspicious/noArrayIndexKey: the stops of a way keep their place
								<Stop key={place} step={step} decides={decides(step)} />
							))}
						</ol>
					</li>
				))}
			</ol>
		</section>
	);
}

const linked: Record<string, "rule" | "nat-rule"> = { rule: "rule", nat: "nat-rule", translated: "nat-rule" };

/** Decided names what decided, with the way to it where it can be changed. */
function Decided({ by }: { by: PacketfilterDecider }) {
	const { t } = useTranslation("firewall");
	const words = t(`decided.${by.kind}`, { name: by.name ?? "", why: by.why ?? "" });
	const kind = linked[by.kind];
	if (!kind || !by.id) return <strong>{words}</strong>;
	return <Link {...placeOf({ kind, id: by.id })}>{words}</Link>;
}

function Stop({ step, decides }: { step: PacketfilterStep; decides: boolean }) {
	const { t } = useTranslation("firewall");
	const words = stepText(step.text, t);
	return <li data-matched={step.matched}>{decides ? <strong>{words}</strong> : words}</li>;
}
