// figures.mjs makes one number out of several, and takes them when nobody else needs the machine.
import { readFileSync } from "node:fs";
import { later, note } from "./driver.mjs";

/** median is the middle one, or the mean of the two in the middle. */
export function median(numbers) {
	const sorted = [...numbers].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** waited is for how long some process has waited for a processor since the machine started, in milliseconds. */
function waited() {
	try {
		return Number(/^some .*total=(\d+)/m.exec(readFileSync("/proc/pressure/cpu", "utf8"))[1]) / 1000;
	} catch {
		return 0; // a kernel that does not tell
	}
}

/** during does something, and tells which share of that time some process waited. */
async function during(work) {
	const [began, before] = [Date.now(), waited()];
	const value = await work();
	return { value, share: (waited() - before) / (Date.now() - began) };
}

/** lull waits for a moment when nobody waits, for some seconds. */
async function lull() {
	for (let n = 0; n < 20; n++) if ((await during(() => later(250))).share < 0.1) return;
}

// What the browser and the node need themselves makes a quarter.
const quietShare = 0.35;

// At the gate there is always a neighbour and the figure decides nothing, so it is not waited for.
const patient = !process.env.GATEWAY_GATE;

/**
 * calmest measures until so many rounds had the machine nearly for themselves, but not for ever, and answers the
 * rounds with the least waiting. What is chosen by is the machine's word, never the figure.
 */
export async function calmest(count, name, measure) {
	const rounds = [];
	const isEnough = () => rounds.filter(({ share }) => share < quietShare).length >= count;
	while (rounds.length < count || (patient && !isEnough() && rounds.length < 4 * count)) {
		if (patient) await lull();
		rounds.push(await during(measure));
	}
	note(
		`${name}: others waited for a processor ${rounds.map(({ share }) => `${Math.round(share * 100)} %`).join(", ")}`,
	);
	rounds.sort((a, b) => a.share - b.share);
	return rounds.slice(0, count).map(({ value }) => value);
}
