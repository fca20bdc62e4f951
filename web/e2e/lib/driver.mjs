// driver.mjs is the script's end of the talk with the Go test: one JSON object per
// line. The script asks for what only the test can do; its last line is the result.
import { createInterface } from "node:readline";

export const base = process.env.BASE ?? "";

/** atGate says that everybody waits for the result: a scenario then goes through a part of what is alike. */
export const atGate = Boolean(process.env.GATEWAY_GATE);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
let turn = Promise.resolve();

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** ask has the test do something and answers what came of it: ask("sql", { query }). */
export function ask(deed, args = {}) {
	const answered = turn.then(async () => {
		say({ do: deed, args });
		const { value, done } = await lines.next();
		if (done) throw new Error(`the test went away before it answered ${deed}`);
		const { ok, value: out, error } = JSON.parse(value);
		if (!ok) throw new Error(`${deed}: ${error}`);
		return out;
	});
	turn = answered.catch(() => {});
	return answered;
}

/** note is a line for the test's log. */
export const note = (text) => say({ note: text });

/** finish ends the talk. */
export function finish(result) {
	say({ result });
	process.stdin.destroy();
}

export const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
