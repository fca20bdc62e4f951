import type { PacketlogEvent } from "@api";
import { useNavigate } from "@tanstack/react-router";
import { startFrom } from "./log";
import { useRoles } from "./requests";
import { linkTo } from "./rule";

/** useRuleFrom opens the form of a rule that is filled in from a line of the log. */
export function useRuleFrom() {
	const navigate = useNavigate();
	const roles = useRoles() ?? [];
	return (event: PacketlogEvent) =>
		void navigate({ to: "/firewall", search: linkTo(startFrom(event, roles)) as never });
}
