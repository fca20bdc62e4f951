import type { PacketlogEvent } from "@api";
import { useNavigate } from "@tanstack/react-router";
import { later } from "@ui";
import { useState } from "react";
import { hasPorts, serviceOf, startFrom } from "./log";
import { useRoles, useServices } from "./requests";
import { linkTo } from "./rule";

const ServiceDialog = later("service for a rule", () => import("./ServiceDialog"));

/**
 * useRuleFrom opens the form of a rule that is filled in from a line of the log. A port that has no service yet gets
 * one first: a rule without a service would be about everything.
 */
export function useRuleFrom() {
	const navigate = useNavigate();
	const roles = useRoles() ?? [];
	const services = useServices() ?? [];
	const [missing, setMissing] = useState<PacketlogEvent>();
	const open = (event: PacketlogEvent, service: string | undefined) =>
		void navigate({ to: "/firewall", search: linkTo(startFrom(event, roles, service)) as never });
	const make = (event: PacketlogEvent) => {
		const found = serviceOf(event, services);
		if (!found && hasPorts(event.proto) && event.port) setMissing(event);
		else open(event, found?.id);
	};
	const dialog = missing && (
		<ServiceDialog
			protocol={missing.proto}
			port={missing.port ?? 0}
			onMade={(id) => open(missing, id)}
			onClose={() => setMissing(undefined)}
		/>
	);
	return { make, dialog };
}
