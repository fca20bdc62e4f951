import { useCan, useStates } from "@api";
import { Link, ObjectState } from "@ui";
import { useTranslation } from "@ui/translation";
import type { ReactNode } from "react";
import { Rates } from "./Rates";
import type { Links } from "./requests";
import { StateLabel } from "./StateLabel";
import type { Part } from "./stack";
import { stateOf } from "./state";
import { useTypeName } from "./TypeName";

/** LinkBox is one interface in the drawing: its state and rates, and the way to its page, or into the configuration. */
export function LinkBox({ part, links }: { part: Part; links: Links }) {
	const { t } = useTranslation("network");
	const typeName = useTypeName();
	const { name, row, link, lower } = part;
	const found = useStates("network_interface")(row?.id ?? "");
	const seen = stateOf(link, links.known);
	const works = row ? !found : seen === "up";
	return (
		<Frame part={part}>
			<span className="gw-net-box-head">
				<code>{name}</code>{" "}
				<span className="gw-net-quiet">{row ? typeName(row) : t(part.used ? "stack.port" : "stack.free")}</span>
			</span>{" "}
			<span className="pf-v6-screen-reader">
				{lower.length > 0 && t("stack.on", { names: lower.join(", ") })}{" "}
				{row?.role && t("stack.zone", { zone: row.role })}
			</span>{" "}
			{row ? (
				<ObjectState state={found} normal="link_up" />
			) : (
				<StateLabel state={seen} link={link} calm={link !== undefined} />
			)}{" "}
			{works ? <Rates name={name} points={links.points} /> : <span className="gw-net-rates">–</span>}
		</Frame>
	);
}

/** Frame leads to the page of what is configured; what is not can be added. */
function Frame({ part: { name, row, used }, children }: { part: Part; children: ReactNode }) {
	const admin = useCan("admin");
	if (row)
		return (
			<Link to={`/interfaces/${row.id}`} className="gw-net-box">
				{children}
			</Link>
		);
	const look = used ? "gw-net-box" : "gw-net-box gw-net-box-free";
	if (!admin) return <div className={look}>{children}</div>;
	return (
		<Link to="/interfaces" search={{ do: "create", id: name }} className={look}>
			{children}
		</Link>
	);
}
