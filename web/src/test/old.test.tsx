import { connection, queryClient, session, setUp } from "@api";
import { screen, waitFor } from "@testing-library/react";
import type { Feature } from "@ui/feature";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { feature as backup } from "../features/backup";
import { feature as cert } from "../features/cert";
import { feature as change } from "../features/change";
import { feature as dashboard } from "../features/dashboard";
import { feature as dhcp } from "../features/dhcp";
import { feature as dns } from "../features/dns";
import { feature as forwardproxy } from "../features/forwardproxy";
import { feature as network } from "../features/network";
import { feature as ntp } from "../features/ntp";
import { feature as radius } from "../features/radius";
import { feature as system } from "../features/system";
import { feature as tunnel } from "../features/tunnel";
import { feature as uplink } from "../features/uplink";
import { renderApp } from "./render";
import { answer, listed, refusal } from "./server";
import { well } from "./well";

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
	connection.state.set("online");
});

const wait = { timeout: 20_000 };
const green = () =>
	[...document.querySelectorAll('main [data-status="success"], main [data-look="success"]')].map(
		(one) => one.textContent,
	);

/** Pages that show green, and whose answer it comes from. */
const pages: [page: string, request: string, feature: Feature][] = [
	["/ntp", "GET /ntp/status", ntp],
	["/ntp", "GET /ntp/sources", ntp],
	["/system", "GET /system/services", system],
	["/system", "GET /problems", system],
	["/system?tab=interfaces", "GET /system/interfaces", system],
	["/system?tab=packages", "GET /system/package-versions", system],
	["/tunnels?tab=tunnels", "GET /problems/states/tunnel", tunnel],
	["/tunnels", "GET /problems/states/tunnel_peer", tunnel],
	["/uplinks", "GET /problems/states/uplink", uplink],
	["/uplinks?tab=groups", "GET /problems/states/uplink_group", uplink],
	["/interfaces", "GET /problems/states/network_interface", network],
	["/interfaces/i1", "GET /problems/states/network_interface", network],
	["/interfaces/i1?tab=addresses", "GET /problems/states/ip_address", network],
	["/routes", "GET /problems/states/route", network],
	["/tunnels/t", "GET /problems/states/tunnel", tunnel],
	["/uplinks/u", "GET /problems/states/uplink", uplink],
	["/routes?tab=kernel", "GET /routes/live", network],
	["/certificates", "GET /problems/states/certificate", cert],
	["/dhcp", "GET /dhcp/status", dhcp],
	["/dhcp", "GET /dhcp/leases", dhcp],
	["/dhcp?tab=subnets", "GET /dhcp/subnets", dhcp],
	["/dhcp?tab=subnets", "GET /dhcp/status", dhcp],
	["/dhcp?tab=subnets", "GET /problems/states/dhcp-subnet", dhcp],
	["/forward-proxy", "GET /problems/states/forward-proxy", forwardproxy],
	["/forward-proxy?tab=stats", "GET /problems/states/forward-proxy", forwardproxy],
	["/forward-proxy?tab=settings", "GET /problems/states/forward-proxy", forwardproxy],
	["/radius", "GET /radius/settings", radius],
	["/radius", "GET /radius/users", radius],
	["/radius", "GET /problems/states/radius", radius],
	["/radius?tab=clients", "GET /problems/states/radius", radius],
	["/radius?tab=sign-ins", "GET /radius/sign-ins", radius],
	["/backups", "GET /backups", backup],
	["/changes", "GET /changes", change],
	["/", "GET /system/services", dashboard],
];

const open = async (page: string, feature: Feature) => {
	renderApp([feature], page);
	// All of it: what is still on its way would be green later, and hide that something else is not any more.
	let last = 0;
	await waitFor(() => {
		const before = last;
		last = queryClient.isFetching() > 0 ? 0 : green().length;
		expect(before).toBeGreaterThan(0);
		expect(last).toBe(before);
	}, wait);
};

test.each(pages)(
	"%s is not green while the server is away",
	async (page, _, feature) => {
		answer(listed(well));
		await open(page, feature);
		answer({});
		await queryClient.invalidateQueries();
		await waitFor(() => expect(green()).toEqual([]), wait);
	},
	60_000,
);

test.each(pages)(
	"%s is not green by an old answer to %s",
	async (page, request, feature) => {
		answer(listed(well));
		await open(page, feature);
		const before = green().length;
		answer({ ...listed(well), [request]: () => refusal(503, { code: "daemon_silent", message: "it hangs" }) });
		await queryClient.invalidateQueries();
		await waitFor(() => expect(green().length).toBeLessThan(before), wait);
	},
	60_000,
);

test("figures that are old say why there are no newer ones", async () => {
	answer(listed(well));
	renderApp([dns], "/dns?tab=status");
	expect(await screen.findByText("Cache hit rate", undefined, wait)).toBeTruthy();
	answer({
		...listed(well),
		"GET /dns/stats": () => refusal(503, { code: "daemon_silent", message: "the resolver does not answer" }),
	});
	await queryClient.invalidateQueries();
	expect(await screen.findByText(/The resolver does not answer/, undefined, wait)).toBeTruthy();
}, 60_000);
