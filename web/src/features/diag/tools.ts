import { diagCurl, diagDig, diagMtu, diagPing, diagTcp, diagTraceroute, type ProbeResult } from "@api";
import { zDiagDigInput, zDiagTargetInput, zDiagTcpInput, zDiagUrlInput } from "@api/schemas";
import type { Field, FormSchema } from "@ui";

/** Tool is one way to find out why something is not reached. */
export interface Tool {
	id: string;
	ns: string;
	schema: FormSchema;
	fields: Field[];
	send: (body: never) => Promise<{ data: ProbeResult }>;
	/** A second one that belongs to it, on the same tab. */
	also?: Tool;
}

const target: Field = { name: "target", focus: true, autoComplete: "off" };

const mtu: Tool = {
	id: "mtu",
	ns: "diag/mtu",
	schema: zDiagTargetInput,
	fields: [target],
	send: (body) => diagMtu({ body }),
};

export const tools: Tool[] = [
	{
		id: "ping",
		ns: "diag/ping",
		schema: zDiagTargetInput,
		fields: [target],
		send: (body) => diagPing({ body }),
		also: mtu,
	},
	{
		id: "traceroute",
		ns: "diag/traceroute",
		schema: zDiagTargetInput,
		fields: [target],
		send: (body) => diagTraceroute({ body }),
	},
	{
		id: "dig",
		ns: "diag/dig",
		schema: zDiagDigInput,
		fields: [target, { name: "type", initial: "A" }],
		send: (body) => diagDig({ body }),
	},
	{ id: "curl", ns: "diag/curl", schema: zDiagUrlInput, fields: [target], send: (body) => diagCurl({ body }) },
	{
		id: "tcp",
		ns: "diag/tcp",
		schema: zDiagTcpInput,
		fields: [target, { name: "port", narrow: true }],
		send: (body) => diagTcp({ body }),
	},
];
