import { appendFileSync } from "node:fs";
import type { Reporter, TestCase } from "vitest/node";

/** unsteady writes the tests that failed and then passed into the file that the gate reads at its end. */
export function unsteady(file = process.env.GATEWAY_TEST_UNSTEADY): Reporter {
	return {
		onTestCaseResult(test: TestCase) {
			if (!file || !test.diagnostic()?.flaky) return;
			const [first] = test.result().errors ?? [];
			const said = first?.message.split("\n", 1)[0] ?? "";
			appendFileSync(file, `unsteady: web/${test.module.relativeModuleId} ${test.name}, ran twice\n  first: ${said}\n`);
		},
	};
}
