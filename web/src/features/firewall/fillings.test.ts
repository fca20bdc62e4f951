// Fillings of the rule form, made at random: what the form says in words, and what it sends. A Go test sends them to
// a real API and words what was stored by itself; here they are only made, or looked at when nobody asks for them.
import { readFileSync, writeFileSync } from "node:fs";
import { describe as read } from "@ui/fields";
import { schemaResolver } from "@ui/resolver";
import i18next, { type TFunction } from "i18next";
import { expect, test } from "vitest";
import { Operator } from "./fillings";
import type { Known } from "./resolve";
import { form } from "./ruleForm";
import { type Filling, requestOf, saidOf } from "./ruleRequest";

interface Asked {
	count: number;
	zones: string[];
	known: Known;
	uplinks: { id: string; name: string }[];
}

const inputs = form.fields.map((field) => read(form.schema, field));

/** submitted is what the form makes of what is filled in; it has to be asked twice where everything is let through. */
async function submitted(filling: Filling): Promise<{ body: Filling; twice: boolean }> {
	const check = schemaResolver(form.schema, inputs, i18next.t as TFunction);
	const send = async (values: Filling) => (await check(values as never, undefined, {} as never)) as never as Checked;
	const first = await send({ ...filling, sure: false as never });
	if (Object.keys(first.errors).length === 0) return { body: first.values, twice: false };
	const second = await send({ ...filling, sure: true });
	expect(Object.keys(first.errors)).toEqual(["sure"]);
	expect(second.errors).toEqual({});
	return { body: second.values, twice: true };
}

interface Checked {
	values: Filling;
	errors: Record<string, unknown>;
}

/** remember has what was made among the known things, as the server has them then. */
function remember(known: Known, operations: { path: string; id?: string; body?: unknown }[]) {
	const lists: Record<string, object[]> = {
		"/firewall/address-objects": known.addresses,
		"/firewall/address-groups": known.addressGroups,
		"/firewall/services": known.services,
		"/firewall/service-groups": known.serviceGroups,
	};
	for (const { path, id, body } of operations) {
		const { members } = body as { members?: string[] };
		lists[path]?.push({ ...(body as object), id, ...(members && { member_count: members.length }) });
	}
}

async function fillings({ count, zones, known, uplinks }: Asked) {
	const operator = new Operator(20_260, zones, known, uplinks);
	let made = 0;
	const newId = () => `0198c0de-0000-7000-8000-${(++made).toString(16).padStart(12, "0")}`;
	const out = [];
	for (let n = 0; n < count; n++) {
		const filling = operator.fill(n);
		const { body, twice } = await submitted(filling);
		const sent = requestOf(body, known, newId);
		const sentence = saidOf(filling, known, i18next.getFixedT("en", "firewall"), {
			time: (time) => time,
			uplinks: (id) => uplinks.find((group) => group.id === id)?.name,
		});
		remember(known, sent.operations);
		const rule = { method: "POST", path: "/firewall/rules", body: { ...sent.body, priority: 1_000_000 } };
		out.push({ filling, twice, sentence, operations: [...sent.operations, rule] });
	}
	return out;
}

const small: Asked = {
	count: 200,
	zones: ["any", "lan", "wan"],
	known: {
		addresses: [
			{ id: "a1", name: "printers", kind: "network", value: "192.0.2.0/24" },
			{ id: "a2", name: 'a "b", c', kind: "host", value: "192.0.2.9" },
		],
		addressGroups: [{ id: "g1", name: "offices", members: ["a1"], member_count: 1 }],
		services: [{ id: "s1", name: "HTTPS", protocol: "tcp", port: 443, port_end: null, icmp_type: null }],
		serviceGroups: [{ id: "h1", name: "Web", members: ["s1"], member_count: 1 }],
	},
	uplinks: [{ id: "u1", name: "voice" }],
};

test("every filling of the rule form has a sentence and a request", async () => {
	const { GATEWAY_FILLINGS: from, GATEWAY_FILLINGS_OUT: to } = process.env;
	const list = await fillings(from ? (JSON.parse(readFileSync(from, "utf8")) as Asked) : small);
	expect(list.every(({ sentence }) => sentence.length > 10)).toBe(true);
	expect(list.some(({ twice }) => twice)).toBe(true);
	// A group of uplinks is said and sent of a rule that accepts, and of no other.
	const grouped = list.filter(({ filling }) => filling.uplink_group_id);
	for (const { filling, sentence, operations } of grouped) {
		const accepts = filling.action === "accept";
		expect(Object.hasOwn(operations.at(-1)?.body as object, "uplink_group_id")).toBe(accepts);
		expect(sentence.includes("by the uplink group ")).toBe(accepts);
	}
	expect(new Set(grouped.map(({ filling }) => filling.action)).size).toBe(3);
	if (to) writeFileSync(to, JSON.stringify(list));
}, 60_000);
