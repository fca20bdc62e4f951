import type { TunnelInterface, TunnelPeer, TunnelPeerInputWritable } from "@api";
import { expect, test } from "vitest";
import { peerRisk, tunnelRisk } from "./risk";

test("what may cut the administrator off is to be confirmed", () => {
	const body = (...allowed_ips: string[]) => ({ allowed_ips }) as unknown as TunnelPeerInputWritable;
	expect(tunnelRisk(undefined)).toBe(false);
	expect(tunnelRisk({ id: "t" } as TunnelInterface)).toBe(true);
	expect(peerRisk(undefined, body("10.8.0.2/32", "fd00::2/128"))).toBe(false);
	expect(peerRisk(undefined, body("10.8.0.2", "0.0.0.0/0"))).toBe(true);
	expect(peerRisk({ allowed_ips: ["::/0"] } as unknown as TunnelPeer, undefined)).toBe(true);
});
