/** Strength of a password, 0 (too short) to 4; a hint while typing, the server decides. */
export type Strength = 0 | 1 | 2 | 3 | 4;

const pools: [RegExp, number][] = [
	[/[a-z]/, 26],
	[/[A-Z]/, 26],
	[/[0-9]/, 10],
	[/[^a-zA-Z0-9]/, 33],
];

/** strengthOf estimates bits: the alphabet in use, times what does not merely repeat or count on. */
export function strengthOf(password: string): Strength {
	if (new TextEncoder().encode(password).length < 12) return 0;
	const alphabet = pools.reduce((sum, [set, size]) => sum + (set.test(password) ? size : 0), 0);
	let useful = 0;
	for (let i = 0; i < password.length; i++) {
		const step = password.charCodeAt(i) - password.charCodeAt(i - 1);
		useful += i > 0 && Math.abs(step) <= 1 ? 0.25 : 1;
	}
	const different = new Set(password.toLowerCase()).size;
	const bits = Math.log2(alphabet || 1) * Math.min(useful, different * 1.8);
	if (bits < 45) return 1;
	if (bits < 60) return 2;
	return bits < 80 ? 3 : 4;
}
