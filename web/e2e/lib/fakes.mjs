// fakes.mjs answers in place of the node, where the real answer would change it.

const json = (value, status = 200) => ({
	status,
	contentType: "application/json",
	body: JSON.stringify(status < 400 ? { data: value, error: null } : { data: null, error: value }),
});

/** api is where all questions to the node go. */
export const api = "**/api/v1/**";

/** refuseChanges answers every change as a conflict, so that all can be pressed and nothing happens; a dry run may look. */
export async function refuseChanges(context) {
	await context.route(api, (route) => {
		const request = route.request();
		if (request.method() === "GET" || request.headers()["gateway-dry-run"] === "true") return route.fallback();
		return route.fulfill(json({ code: "conflict", message: "nothing is changed in this test" }, 409));
	});
}

/** fakeSetup makes a node look fresh to a page, and lets it be set up. */
export async function fakeSetup(page) {
	let done = false;
	const health = async (route) => {
		const real = await (await route.fetch()).json();
		return route.fulfill(json({ ...real.data, setup_complete: done }));
	};
	await page.route("**/api/v1/system/health", health);
	await page.route("**/api/v1/setup/status", (route) => route.fulfill(json({ complete: done })));
	await page.route("**/api/v1/setup/complete", (route) => {
		done = true;
		return route.fulfill(json({}));
	});
}

/** Values that the pages compare with or address things by; a payload there would only be "unknown". */
const fixed =
	/^(id|role|created_at|updated_at|entered_at|expires_at|last_seen|last_used_at|active_state|sub_state|boot|etag|revision|code|stage|operation|component|confirm_state|last_update|since|not_before|last_renewed_at|next_attempt_at|checked_at|at|domain_id|backend_id)$/;

/** poison puts a payload into every text that the node answers to a question. */
export async function poison(context, corpus) {
	let n = 0;
	const spoil = (value, key) => {
		if (Array.isArray(value)) return value.map((inner) => spoil(inner, key));
		if (value && typeof value === "object")
			return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoil(inner, name)]));
		return typeof value === "string" && !fixed.test(key) ? corpus[n++ % corpus.length] : value;
	};
	const paths =
		/\/api\/v1\/(system\/(services|package-versions|interfaces|health|components$|config-preview)|auth\/(sessions|tokens)|users|audit\/(recent|search)|changes|dns\/|ntp\/|proxy\/|certificates|domains|domain-|backends|backend-servers|routing-rules|tcp-services|firewall\/|nat-rules|network-interfaces|ip-addresses|routes)/;
	await context.route(paths, async (route) => {
		if (route.request().method() !== "GET") return route.fallback();
		const response = await route.fetch();
		const body = await response.json().catch(() => undefined);
		if (!body?.data) return route.fulfill({ response });
		return route.fulfill({ response, json: { ...body, data: spoil(body.data, "") } });
	});
}
