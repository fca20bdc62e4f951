import { page, queryClient, setUp } from "@api";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { answer, ok } from "../../test/server";
import { everything, listPair } from "./pair";

const rows = Array.from({ length: 2_500 }, (_, n) => ({ id: `r${n}`, dst_zone: n % 2 === 0 ? "wan" : "dmz" }));

/** serve answers pages as the server does, and remembers what it was asked. */
const serve = () =>
	answer({
		"GET /firewall/rules": (request) => {
			const asked = new URL(request.url).searchParams;
			const offset = Number(asked.get("offset"));
			const limit = Number(asked.get("limit") ?? 100);
			return ok(rows.slice(offset, offset + limit), { "X-Total-Count": String(rows.length) });
		},
	});

const filters = (seen: Request[]) => [...new Set(seen.map(({ url }) => new URL(url).searchParams.get("filter")))];

beforeAll(setUp);
beforeEach(() => queryClient.clear());

test("a long list is asked for in pages, and put together in its order", async () => {
	const list = async ({ offset = 0, limit = 0 }) => ({
		data: rows.slice(offset, offset + limit),
		response: new Response(null, { headers: { "X-Total-Count": String(rows.length) } }),
	});
	expect((await everything(list, {})).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
});

test("one zone is the server's filter", async () => {
	const seen = serve();
	await listPair({ src: "lan", limit: 100 });
	await listPair({ dst: "any", limit: 100 });
	await listPair({ limit: 100 });
	expect(filters(seen)).toEqual(["src_zone:lan", "dst_zone:any", null]);
});

test("rules between two zones are counted and paged as any list is, and looked for once", async () => {
	const seen = serve();
	const first = await page(listPair({ src: "lan", dst: "wan", limit: 100, offset: 0, sort: "priority" }));
	const last = await page(listPair({ src: "lan", dst: "wan", limit: 100, offset: 1_200, sort: "priority" }));
	expect([first.total, first.rows.length, first.rows[1]?.id]).toEqual([1_250, 100, "r2"]);
	expect([last.total, last.rows.length, last.rows.at(-1)?.id]).toEqual([1_250, 50, "r2498"]);
	expect(filters(seen)).toEqual(["src_zone:lan"]);
	expect(seen).toHaveLength(3);
});
