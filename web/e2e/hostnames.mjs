// hostnames.mjs shows what DHCP clients call themselves on the page of the leases: none of it may run. What the API
// answers is made up, but for the names, which are in the file NAMES.
import { readFileSync } from "node:fs";
import { open, scenario } from "./lib/browser.mjs";
import { later } from "./lib/driver.mjs";
import { quiet } from "./lib/quiet.mjs";
import { uuid } from "./lib/samples.mjs";
import { stage } from "./lib/stage.mjs";
import { nothing, seen } from "./lib/watch.mjs";

const names = JSON.parse(readFileSync(process.env.NAMES, "utf8"));
const perPage = 100;
/** Rows out of sight are not drawn, and a long name takes several lines. */
const size = { width: 1440, height: 16_000 };

const leaseOf = (hostname, i) => ({
	address: `192.0.2.${i + 1}`,
	mac: `02:00:5e:00:53:${i.toString(16).padStart(2, "0")}`,
	random_mac: true,
	client_id: "",
	hostname,
	state: "assigned",
	subnet_id: uuid(1),
	reservation_id: "",
	first_seen: "2026-01-01T00:00:00Z",
	last_seen: "2026-01-01T00:00:00Z",
	expires_at: "2099-01-01T00:00:00Z",
});

/** shown counts the names that stand on the page as text. */
const shown = (names) => names.filter((name) => document.querySelector("main").textContent.includes(name)).length;

const result = { shown: 0, markup: 0, names: names.length };

async function look(page, part) {
	await page.route("**/api/v1/dhcp/leases*", (route) =>
		route.fulfill({
			headers: { "x-total-count": String(part.length) },
			json: { data: part.map(leaseOf), error: null },
		}),
	);
	await page.goto("/dhcp");
	await page.getByText("192.0.2.1", { exact: true }).waitFor();
	await quiet(page);
	result.shown += await page.evaluate(shown, part);
	result.markup += await page.locator("main :is(script, iframe, base, style, meta, [onerror], [onload])").count();
	await page.unroute("**/api/v1/dhcp/leases*");
}

/** unescaped shows that the names run where nobody takes care, and that it is noticed. */
async function unescaped() {
	const list = nothing();
	const page = await open({ list, baseURL: "http://localhost" });
	await page.route("**/unescaped", (route) => route.fulfill({ contentType: "text/html", body: "<body>" }));
	for (const name of names.filter((name) => name.includes("__xss")).slice(0, 20)) {
		await page.goto("/unescaped");
		await page.evaluate((html) => {
			document.body.innerHTML = html;
		}, name);
		await later(20);
	}
	await page.context().close();
	return list.xss.length;
}

await scenario(async () => {
	const { base, close } = await stage("rows");
	const page = await open({ baseURL: base, size });
	for (let from = 0; from < names.length; from += perPage) await look(page, names.slice(from, from + perPage));
	await page.context().close();
	close();
	result.asked = seen.foreign.filter((url) => !url.startsWith(`${base}/`) || url.endsWith("/xss-probe"));
	return { ...result, control: await unescaped() };
}, result);
