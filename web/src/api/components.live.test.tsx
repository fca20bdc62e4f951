import { QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { queryClient } from "./cache";
import { useComponentsLive } from "./components";
import type { ApplyState } from "./generated";
import { componentsOptions } from "./generated/@tanstack/react-query.gen";

class FakeSocket {
	static made: FakeSocket[] = [];
	onopen?: () => void;
	onmessage?: (event: { data: string }) => void;
	constructor() {
		FakeSocket.made.push(this);
	}
	close() {}
}

function Page() {
	useComponentsLive();
	return null;
}

const key = componentsOptions().queryKey;
const done = { component: "dns", installed: "a", stage: "live" } as ApplyState;
const waiting = { ...done, confirm: { change: "c", seconds_left: 1 } };

test("what is stored is asked for again when a question was sooner than the stream", () => {
	vi.stubGlobal("WebSocket", FakeSocket);
	queryClient.setQueryData(key, [waiting]);
	render(
		<QueryClientProvider client={queryClient}>
			<Page />
		</QueryClientProvider>,
	);
	const asked = vi.spyOn(queryClient, "invalidateQueries");
	const hear = (states: ApplyState[]) => FakeSocket.made[0]?.onmessage?.({ data: JSON.stringify(states) });
	FakeSocket.made[0]?.onopen?.();
	hear([waiting]);
	expect(asked).not.toHaveBeenCalled();
	queryClient.setQueryData(key, [done]); // the answer to a question
	hear([done]);
	expect(asked.mock.calls.map(([filters]) => filters?.queryKey)).toEqual([[{ tags: ["change"] }], [{ tags: ["dns"] }]]);
	// An answer that says otherwise than the stream begins nothing: the two could go on for ever.
	queryClient.setQueryData(key, [waiting]);
	expect(asked).toHaveBeenCalledTimes(2);
});
