import type { ForwardproxyAcl } from "@api";

/** page is where the forward proxy is. */
export const page = "/forward-proxy";

/** nameOf is what people call an access rule: its name, or else what it compares with. */
export const nameOf = ({ name, value }: Pick<ForwardproxyAcl, "name" | "value">) => name || value;

/** What a rule can compare, in the order in which it is offered. */
export const types: ForwardproxyAcl["type"][] = [
	"domain",
	"list",
	"url",
	"source",
	"port",
	"method",
	"time",
	"user_agent",
];

/** Methods that a rule may name. */
export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];

/** inputOf is a rule as an update takes it, at the place that it has. */
export function inputOf(acl: ForwardproxyAcl) {
	const { id: _, revision: __, created_at: ___, updated_at: ____, ...rest } = acl;
	return rest;
}
