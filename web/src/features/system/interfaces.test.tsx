import { connection, queryClient, setUp } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { answer, listed } from "../../test/server";
import { InterfacesTab } from "./InterfacesTab";

const link = (ifname: string, ifindex: number, ...flags: string[]) => ({
	...{ ifname, ifindex, flags, link_type: "ether", address: "", addr_info: [], mtu: 1500 },
	...{ rx_bytes: 0, rx_packets: 0, rx_drop: 0, tx_bytes: 0, tx_packets: 0, tx_drop: 0 },
});

const down = { state: "down", code: "network.link_down", params: { interface: "lan0" }, message: "lan0 is down" };

beforeEach(() => {
	setUp();
	queryClient.clear();
	connection.begin();
});

test.each([
	["a configured one is as the server judges it", true, "Down", "danger"],
	["of what nobody knows the kernel has its say", false, "Switched off", "neutral"],
])("an interface has one colour: %s", async (_, known, word, look) => {
	answer(
		listed({
			"GET /system/interfaces": [link("lan0", 2), link("spare0", 3), link("wan0", 4, "UP", "LOWER_UP")],
			"GET /network-interfaces": [
				{ id: "l", name: "lan0" },
				{ id: "w", name: "wan0" },
			],
			"GET /problems/states/network_interface": { known, states: known ? { l: down } : {} },
		}),
	);
	render(
		<QueryClientProvider client={queryClient}>
			<InterfacesTab />
		</QueryClientProvider>,
	);
	const looks = async (name: string, text: string) => {
		const row = (await screen.findByText(name)).closest("tr");
		await expect.poll(() => row?.textContent).toContain(text);
		return row?.querySelector("[data-status]")?.getAttribute("data-status");
	};
	expect(await looks("lan0", word)).toBe(look);
	expect(await looks("spare0", "Switched off")).toBe("neutral");
	expect(await looks("wan0", known ? "Up" : "Connected")).toBe("success");
});
