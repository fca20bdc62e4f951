import { diagCurl, diagDig, diagPing, diagTcp, diagTraceroute, type ProbeResult } from "@api";
import { zDiagDigInput, zDiagTargetInput, zDiagTcpInput, zDiagUrlInput } from "@api/schemas";
import type { Field, FormSchema } from "@ui";

/** Tool is one way to find out why something is not reached. */
export interface Tool {
	id: string;
	ns: string;
	schema: FormSchema;
	fields: Field[];
	send: (body: never) => Promise<{ data: ProbeResult }>;
}

const target: Field = { name: "target", focus: true, autoComplete: "off" };

export const tools: Tool[] = [
	{
		id: "ping",
		ns: "diag/ping",
		schema: zDiagTargetInput,
		fields: [target],
		send: (body) => diagPing({ body }),
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
		fields: [target, { name: "port" }],
		send: (body) => diagTcp({ body }),
	},
];
