import type { FirewallQuestion, PacketfilterTrace } from "@api";
import { zFirewallQuestion } from "@api/schemas";
import { Dialog, type Field, Notice, SchemaForm, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";
import { useEffect, useState } from "react";
import { readPacket } from "./explain";
import { useExplain, useLinkChoices } from "./requests";
import { Trace } from "./Trace";

const fields: Field[] = [
	{ name: "interface", kind: "choice", useChoices: useLinkChoices, required: false },
	{ name: "source", focus: true },
	{ name: "destination" },
	{ name: "protocol" },
	{ name: "port", narrow: true, required: true, when: { protocol: ["tcp", "udp", "sctp"] } },
	{ name: "icmp_type", narrow: true, when: { protocol: ["icmp", "icmpv6"] } },
];

interface Props {
	/** What the URL says: a packet, or that the form is open. */
	packet: string;
	onClose: () => void;
}

/** ExplainDialog follows one packet through the packet filter and says what decides over it. */
export default function ExplainDialog({ packet, onClose }: Props) {
	const { t } = useTranslation("firewall");
	const text = useErrorText();
	const [given] = useState(() => readPacket(packet));
	const [trace, setTrace] = useState<PacketfilterTrace>();
	const { mutateAsync, mutate, error } = useExplain();
	const ask = async (body: FirewallQuestion) => {
		setTrace(undefined);
		setTrace(await mutateAsync(body));
	};
	// A line of the log names all there is to know.
	// biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
	useEffect(() => {
		if (given) mutate(given as FirewallQuestion, { onSuccess: setTrace });
	}, []);
	return (
		<Dialog title={t("explain.title")} description={t("explain.lead")} size="medium" onClose={onClose}>
			<div className="gw-fw-explain">
				<SchemaForm<FirewallQuestion, void>
					schema={zFirewallQuestion}
					ns="firewall/explain"
					fields={fields}
					initial={{ protocol: "tcp", ...given }}
					submit={ask}
					submitLabel={t("explain.ask")}
					guard={false}
					wide
				/>
				<div aria-live="polite">
					{trace && <Trace trace={trace} />}
					{given && error && !trace && <Notice kind="danger" title={text(error)} />}
				</div>
			</div>
		</Dialog>
	);
}
