const hooks = { load: async () => {}, page: async (_id: string) => {} };

/** Whoever shows an error does not wait longer for words that do not come. */
const patience = 3_000;

/** onMessage sets who loads the reader's words for what the server says. */
export function onMessage(load: () => Promise<void>): void {
	hooks.load = load;
}

/** onPageWords sets who loads what a feature says on its pages, for other pages that show some of it. */
export function onPageWords(load: (id: string) => Promise<void>): void {
	hooks.page = load;
}

/** askForPageWords has them loaded, and waits for nothing. */
export const askForPageWords = (id: string): Promise<void> => hooks.page(id).catch(() => {});

/** askForWords has them loaded, and waits for nothing. */
export const askForWords = (): Promise<void> => hooks.load().catch(() => {});

/** wordsReady waits for them, before a message is handed to somebody who words it once. */
export async function wordsReady(): Promise<void> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, patience);
	});
	await Promise.race([askForWords(), late]);
	clearTimeout(timer);
}
