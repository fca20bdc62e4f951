import type { ProxyMoment } from "@api";

/** Seconds that the server counts together. */
const step = 300;
const steps = 288;

/** Day is what was asked of a site in the last 24 hours, at times that are evenly apart. */
export interface Day {
	/** Seconds since 1970. */
	times: number[];
	/** Per second. */
	requests: number[];
	clientErrors: number[];
	errors: number[];
	/** Milliseconds to an answer on average; null where nothing was asked. */
	time: (number | null)[];
	/** Requests in all. */
	total: number;
}

/** dayOf puts moments at their times; the server leaves out those in which nothing was asked. */
export function dayOf(moments: ProxyMoment[], now: number): Day {
	const end = Math.ceil(now / step) * step;
	const times = Array.from({ length: steps }, (_, n) => end - (steps - 1 - n) * step);
	const at = new Map(moments.map((one) => [Math.ceil(Date.parse(one.at) / 1000 / step) * step, one]));
	const rows = times.map((time) => at.get(time));
	const rate = (of: (one: ProxyMoment) => number) => rows.map((one) => (one ? of(one) / step : 0));
	return {
		times,
		requests: rate((one) => one.requests),
		clientErrors: rate((one) => one.client_errors),
		errors: rate((one) => one.errors),
		time: rows.map((one) => (one && one.requests > 0 ? one.milliseconds / one.requests : null)),
		total: rows.reduce((sum, one) => sum + (one?.requests ?? 0), 0),
	};
}
