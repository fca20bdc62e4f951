// driver.mjs is the script's end of the talk with the Go test: one JSON object per
// line. The script asks for what only the test can do; its last line is the result. What
// has an id is answered with it, whenever that is.
import { createInterface } from "node:readline";

export const base = process.env.BASE ?? "";

/** atGate says that everybody waits for the result: a scenario then goes through a part of what is alike. */
export const atGate = Boolean(process.env.GATEWAY_GATE);

/** shareOf is all there is; at the gate only one of several equal shares, when the walks of others take the rest. */
export const shareOf = (list, share, of) => list.filter((_, i) => !atGate || i % of === share);

/** waiting has who waits for which answer; 0 is ask's, of which there is one at a time. */
const waiting = new Map();
let turn = Promise.resolve();
let number = 0;
let gone = false;

const answer = (id, message) => {
	waiting.get(id)?.(message);
	waiting.delete(id);
};

createInterface({ input: process.stdin })
	.on("line", (line) => {
		const { id = 0, ...message } = JSON.parse(line);
		answer(id, message);
	})
	.on("close", () => {
		gone = true;
		for (const id of waiting.keys()) answer(id, { error: "the test went away before it answered" });
	});

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

async function exchange(message) {
	if (gone) throw new Error(`the test went away before ${message.do}`);
	const answered = new Promise((resolve) => waiting.set(message.id ?? 0, resolve));
	say(message);
	const { ok, value, error } = await answered;
	if (!ok) throw new Error(`${message.do}: ${error}`);
	return value;
}

/** ask has the test do something and answers what came of it: ask("sql", { query }). One comes after the other. */
export function ask(deed, args = {}) {
	const answered = turn.then(() => exchange({ do: deed, args }));
	turn = answered.catch(() => {});
	return answered;
}

/** beside is ask for what the test does while others wait for it, too. */
export function beside(deed, args = {}) {
	number++;
	return exchange({ id: number, do: deed, args });
}

/** note is a line for the test's log. */
export const note = (text) => say({ note: text });

/** finish ends the talk. */
export function finish(result) {
	say({ result });
	process.stdin.destroy();
}

export const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
