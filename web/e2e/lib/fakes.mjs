// fakes.mjs answers in place of the node, where the real answer would change it. What a walk over many pages needs is answered
// within the page: with a route of Playwright's, Chromium keeps nothing of what it loads, and every request takes a way round by here.

const json = (value, status = 200) => ({
	status,
	contentType: "application/json",
	body: JSON.stringify(status < 400 ? { data: value, error: null } : { data: null, error: value }),
});

/** refusing is run in a page before its own scripts: what is to be changed there is answered as a conflict. Of source is said which. */
function refusing({ source }) {
	const [wanted, ask] = [new RegExp(source), window.fetch];
	window.fetch = async (input, init) => {
		const request = new Request(input, init);
		const looks = request.method === "GET" || request.headers.get("Gateway-Dry-Run") === "true";
		if (looks || !wanted.test(new URL(request.url).pathname)) return ask(request);
		const error = { code: "conflict", message: "nothing is changed in this test" };
		return Response.json({ data: null, error }, { status: 409 });
	};
}

/** refuseChanges answers every change as a conflict, so that all can be pressed and nothing happens; a dry run may look. It begins with the next document. */
export const refuseChanges = (context, of = /^\/api\/v1\//) => context.addInitScript(refusing, { source: of.source });

/** fakeSetup makes a node look fresh to a page, and lets it be set up. */
export async function fakeSetup(page) {
	let done = false;
	const health = async (route) => {
		try {
			const real = await (await route.fetch()).json();
			await route.fulfill(json({ ...real.data, setup_complete: done }));
		} catch {
			await route.abort().catch(() => undefined); // the page has gone on meanwhile
		}
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

const poisoned =
	/^\/api\/v1\/(system\/(services|package-versions|interfaces|health|components$|config-preview)|auth\/(sessions|tokens)|users|audit\/(recent|search)|changes|dns\/|ntp\/|proxy\/|certificates|domains|domain-|backends|backend-servers|routing-rules|tcp-services|firewall\/|nat-rules|network-interfaces|ip-addresses|routes)/;

/** spoiling is run in a page before its own scripts. */
function spoiling({ corpus, fixed, poisoned }) {
	const [isFixed, isPoisoned, ask] = [new RegExp(fixed), new RegExp(poisoned), window.fetch];
	let n = Math.floor(Math.random() * corpus.length); // else the first text of each document would always have the same one
	const spoil = (value, key) => {
		if (Array.isArray(value)) return value.map((inner) => spoil(inner, key));
		if (value && typeof value === "object")
			return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoil(inner, name)]));
		return typeof value === "string" && !isFixed.test(key) ? corpus[n++ % corpus.length] : value;
	};
	window.fetch = async (input, init) => {
		const request = new Request(input, init);
		const response = await ask(request);
		if (request.method !== "GET" || !isPoisoned.test(new URL(request.url).pathname)) return response;
		const body = await response
			.clone()
			.json()
			.catch(() => undefined);
		if (!body?.data) return response;
		const before = n;
		const data = spoil(body.data, "");
		if (n > before) void window.__e2eSpoilt(n - before);
		const { status, headers } = response;
		return new Response(JSON.stringify({ ...body, data }), { status, headers });
	};
}

/** poison puts a payload into every text that the node answers to a question, from the next document on, and tells spoilt how many. */
export async function poison(context, corpus, spoilt) {
	await context.exposeBinding("__e2eSpoilt", (_, texts) => spoilt(texts));
	await context.addInitScript(spoiling, { corpus, fixed: fixed.source, poisoned: poisoned.source });
}
