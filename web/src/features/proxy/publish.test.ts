import { ApiError } from "@api";
import { expect, test } from "vitest";
import { coverIn, coverOf, firstToEnd, namesOf, uncoveredOf } from "./cover";
import { hostOf, isSiteName, operationsOf, routeError, startValues, type Values, wrongIn } from "./publish";

const ids = { pool: "p", server: "s", site: "d", certificate: "c" };
const values = (over: Partial<Values> = {}): Values => ({
	...startValues,
	name: "WWW.Example.com.",
	address: " 192.0.2.10 ",
	port: 8080,
	...over,
});

test("a name is taken out of what people paste", () => {
	expect(hostOf(" https://Shop.Example.com:8443/cart?a=1 ")).toBe("shop.example.com");
	expect(hostOf("example.com.")).toBe("example.com");
	const good = ["www.example.com", "*.example.com", "bücher.example", "a-b.example.co"];
	const bad = ["", "localhost", "192.0.2.1", "2001:db8::1", "www..com", "-a.example.com", "a b.example.com", "*.*.com"];
	expect(good.filter((name) => !isSiteName(name))).toEqual([]);
	expect(bad.filter(isSiteName)).toEqual([]);
});

test("a new server, its pool, the site and its certificate are one batch, each before who needs it", () => {
	expect(operationsOf(values(), ids)).toEqual([
		{
			method: "POST",
			path: "/backends",
			id: "p",
			body: { name: "www.example.com", scheme: "http", health_check: true },
		},
		{
			method: "POST",
			path: "/backend-servers",
			id: "s",
			body: { backend_id: "p", name: "server-1", address: "192.0.2.10", port: 8080 },
		},
		{ method: "POST", path: "/domains", id: "d", body: { name: "www.example.com", backend_id: "p" } },
		{ method: "POST", path: "/certificates", id: "c", body: { names: ["www.example.com"], source: "acme" } },
	]);
});

test("what is there already is not made again", () => {
	const there = values({ where: "pool", backend_id: "known", certificate: "covered" });
	expect(operationsOf(there, ids)).toEqual([
		{ method: "POST", path: "/domains", id: "d", body: { name: "www.example.com", backend_id: "known" } },
	]);
	const later = values({ where: "later", certificate: "later", backend_id: "stale" });
	expect(operationsOf(later, ids)[0]?.body).toEqual({ name: "www.example.com" });
});

test("only what a way needs is asked for", () => {
	expect(wrongIn(values({ name: "localhost" }))).toEqual({ name: "name" });
	expect(wrongIn(values({ address: " ", port: "" }))).toEqual({ address: "address", port: "port" });
	expect(wrongIn(values({ where: "later", address: "", port: "" }))).toEqual({});
	expect(wrongIn(values({ where: "pool" }))).toEqual({ backend_id: "pool" });
	expect(wrongIn(values({ name: "*.example.com" }))).toEqual({ certificate: "wildcard" });
	expect(wrongIn(values({ certificate: "acme" }), true)).toEqual({ terms: "terms" });
	expect(wrongIn(values({ certificate: "acme", terms: true }), true)).toEqual({});
	expect(wrongIn(values({ certificate: "self_signed" }), true)).toEqual({});
});

test("a complaint about a part leads to the step that asked for it", () => {
	const fields = [{ field: "operations[1].body.address", message: "no", text: "must be a single host address" }];
	const refused = new ApiError(400, "invalid", "operation 2 (POST /backend-servers): no", fields);
	expect(routeError(refused, operationsOf(values(), ids))).toEqual({
		step: "where",
		atField: [{ name: "address", message: "Must be a single host address" }],
		above: [],
	});
	const names = [{ field: "operations[3].body.names[0]", message: "is taken" }];
	expect(routeError(new ApiError(409, "conflict", "no", names), operationsOf(values(), ids)).step).toBe("certificate");
	const same = [{ field: "operations[2]", message: "the same name is there" }];
	const named = new ApiError(409, "conflict", "operation 3 (POST /domains): the same name is there", same);
	expect(routeError(named, operationsOf(values(), ids)).above).toEqual(["the same name is there"]);
	const words = { text: "the name %s is there", params: ["a"] };
	const whole = new ApiError(409, "conflict", "operation 3 (POST /domains): …", [], undefined, undefined, words);
	expect(routeError(whole, operationsOf(values(), ids)).above).toEqual(["The name a is there"]);
});

test("a certificate covers its names, and a wildcard one label below", () => {
	const star = { id: "1", names: ["*.example.com"] };
	const own = { id: "2", names: ["a.example.com"] };
	const all = [star, own] as never;
	expect(coverOf(all, "a.example.com")?.id).toBe("2");
	expect(coverOf(all, "b.example.com")?.id).toBe("1");
	expect(coverOf(all, "*.example.com")?.id).toBe("1");
	expect(coverOf(all, "b.c.example.com")).toBeUndefined();
	expect(coverOf(all, "example.com")).toBeUndefined();
});

test("a name in another script is looked up as it is stored", () => {
	const cover = coverIn([{ id: "1", names: ["xn--shp-tna.example.com"] }] as never);
	expect(cover("shöp.example.com")?.id).toBe("1");
	expect(cover("xn--shp-tna.example.com")?.id).toBe("1");
});

test("of several certificates for a name the server serves the issued one that lasts longest", () => {
	const of = (id: string, expires_at: string | null, ...names: string[]) => ({ id, names, expires_at });
	const short = of("short", "2026-12-01T00:00:00Z", "a.example.com");
	const long = of("long", "2027-02-01T00:00:00Z", "a.example.com");
	const coming = of("coming", null, "a.example.com", "b.example.com");
	const star = of("star", "2027-01-01T00:00:00Z", "*.example.com");
	for (const all of [
		[short, long, coming],
		[coming, long, short],
	])
		expect(coverOf(all as never, "a.example.com")?.id).toBe("long");
	expect(coverOf([coming] as never, "a.example.com")?.id).toBe("coming");
	expect(coverOf([coming, star] as never, "b.example.com")?.id).toBe("star");
});

test("a site with a www redirect needs a certificate for both names", () => {
	const site = { name: "shop.example", www_redirect: "to_www" } as never;
	expect(namesOf(site)).toEqual(["shop.example", "www.shop.example"]);
	expect(namesOf({ name: "shop.example", www_redirect: "off" })).toEqual(["shop.example"]);
	const own = { id: "own", names: ["shop.example"], expires_at: "2027-01-01T00:00:00Z" };
	const www = { id: "www", names: ["www.shop.example"], expires_at: "2026-12-01T00:00:00Z" };
	const bare = coverIn([own] as never);
	expect(uncoveredOf(site, bare)).toEqual(["www.shop.example"]);
	expect(firstToEnd(namesOf(site), bare)).toBeUndefined();
	const both = coverIn([own, www] as never);
	expect(uncoveredOf(site, both)).toEqual([]);
	expect(firstToEnd(namesOf(site), both)?.id).toBe("www");
});
