// lists.mjs measures what a list of many rows costs whoever looks at it. All but watched run in the page.

/** appears is the time from a beginning to the frame with words in the first element that a selector finds. */
export async function appears([selector, began]) {
	const shown = () => {
		const cell = document.querySelector(selector);
		return cell?.textContent.trim() && !cell.querySelector(".pf-v6-c-skeleton");
	};
	while (!shown()) {
		if (performance.now() - began > 30_000) throw new Error(`${location}: no ${selector}`);
		await new Promise(requestAnimationFrame);
	}
	await new Promise(requestAnimationFrame);
	return performance.now() - began;
}

/** scroll goes down so many screens, an eighth of one each frame, and answers how long each frame took; it may be held up on purpose. */
export async function scroll([screens, hold]) {
	const main = document.getElementById("main");
	const step = main.clientHeight / 8;
	const frames = [];
	let before = await new Promise(requestAnimationFrame);
	for (let n = 0; n < screens * 8; n++) {
		main.scrollBy({ top: step, behavior: "instant" });
		const held = performance.now() + (n === 10 ? hold : 0);
		while (performance.now() < held);
		const now = await new Promise(requestAnimationFrame);
		frames.push(now - before);
		before = now;
	}
	return { frames, top: main.scrollTop, wanted: screens * main.clientHeight };
}

/** scrolled is scroll, and fails where a list ends too soon to say anything. */
export async function scrolled(page, screens) {
	const { frames, top, wanted } = await page.evaluate(scroll, [screens, 0]);
	if (top < wanted * 0.9) throw new Error(`${page.url()}: scrolled ${top} of ${wanted} px only`);
	return frames;
}

/** watched does something on a page and answers how long each frame took meanwhile. */
export async function watched(page, work) {
	await page.evaluate(() => {
		const frames = [];
		let before = performance.now();
		const tick = (now) => {
			frames.push(now - before);
			before = now;
			window.watching = requestAnimationFrame(tick);
		};
		window.watching = requestAnimationFrame(tick);
		window.watchedFrames = frames;
	});
	await work();
	return page.evaluate(() => {
		cancelAnimationFrame(window.watching);
		return window.watchedFrames;
	});
}
