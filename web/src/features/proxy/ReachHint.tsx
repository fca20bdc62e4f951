import type { ReachAnswer, ReachName, ReachResult } from "@api";
import { formatNumber, Link, type Status, StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";
import type { Holder, Wanted } from "./taken";
import { useReach } from "./useReach";

const ofName: Record<ReachName["code"], Status> = {
	here: "success",
	partly_here: "warning",
	elsewhere: "warning",
	behind_nat: "info",
	unresolved: "warning",
	dns_failed: "warning",
	untested: "neutral",
};

/** ofServer: what is not listed keeps requests from being answered. */
const ofServer: Partial<Record<ReachResult["code"], Status>> = {
	connects: "success",
	not_allowed: "neutral",
	untested: "neutral",
};

/** statusOf a server: HAProxy takes 200 to 399 for healthy. */
export const statusOf = ({ code, status }: ReachResult): Status =>
	code === "answers" ? (status >= 200 && status < 400 ? "success" : "warning") : (ofServer[code] ?? "danger");

/** NameReach says where a name leads, "" for none, or who has it already. */
export function NameReach({ name, holder }: { name: string; holder: Holder | undefined }) {
	const { t } = useTranslation("proxy");
	const { data, isFetching } = useReach(name ? { domain: name } : undefined);
	const words = ({ name: found }: ReachAnswer) =>
		found && (
			<StatusLabel status={ofName[found.code]}>
				{t(`reach.name.${found.code}`, { addresses: found.elsewhere.join(", ") })}
			</StatusLabel>
		);
	return (
		<Line busy={!holder && isFetching && !data}>
			{holder ? <Taken noun="domain" name={name} holder={holder} /> : data && words(data)}
		</Line>
	);
}

export interface Server {
	name: string;
	scheme: "http" | "https";
	address: string;
	port: number;
}

/** useServerReach is how a server answers, in words and a colour; undefined asks nothing. */
export function useServerReach(server: Server | undefined) {
	const { t } = useTranslation("proxy");
	const question = server && {
		...(server.name && { domain: server.name }),
		scheme: server.scheme,
		servers: [{ address: server.address, port: server.port }],
	};
	const { data, isFetching } = useReach(question);
	const found = data?.servers[0];
	const words = found
		? t(`reach.server.${found.code}`, { status: found.status, ms: formatNumber(found.milliseconds) })
		: "";
	return { busy: isFetching && !data, status: found && statusOf(found), words };
}

/** ServerReach says how a server answers; undefined for none. */
export function ServerReach({ server }: { server: Server | undefined }) {
	const { busy, status, words } = useServerReach(server);
	return <Line busy={busy}>{status && <StatusLabel status={status}>{words}</StatusLabel>}</Line>;
}

/** PoolTaken says that a backend of this name is there already; undefined for none. */
export function PoolTaken({ name, holder }: { name: string; holder: Holder | undefined }) {
	return <Line busy={false}>{holder && <Taken noun="backend" name={name} holder={holder} />}</Line>;
}

/** Taken says who has a name already, and leads there. */
function Taken({ noun, name, holder }: Wanted & { holder: Holder }) {
	const { t } = useTranslation("proxy");
	const said = holder.redirects ? "publish.taken.redirect" : `publish.taken.${noun}`;
	return (
		<>
			<StatusLabel status="danger">{t(said, { name, other: holder.name })}</StatusLabel>{" "}
			<Link to={holder.path}>{t("publish.taken.open", { name: holder.name })}</Link>
		</>
	);
}

/** Line is there before it says anything, so that nothing moves under the pointer when it does. */
function Line({ busy, children }: { busy: boolean; children: React.ReactNode }) {
	const { t } = useTranslation("proxy");
	return (
		<div className="gw-reach" role="status">
			{busy ? <span className="gw-hint">{t("reach.testing")}</span> : children}
		</div>
	);
}
