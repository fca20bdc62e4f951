import { expect, test } from "vitest";
import { deepen } from "./deep.ts";

test("an import from the index becomes one from the component's own folder", () => {
	expect(deepen('import { Button, type ButtonProps, EmptyState as PFEmptyState } from "@patternfly/react-core";')).toBe(
		'import { Button } from "@patternfly/react-core/dist/esm/components/Button/index.js";' +
			'import { EmptyState as PFEmptyState } from "@patternfly/react-core/dist/esm/components/EmptyState/index.js";',
	);
	expect(deepen('import { UsersIcon } from "@patternfly/react-icons";')).toContain("dist/esm/icons/users-icon.js");
});

test("other imports stay as they are", () => {
	const code = 'import { Page } from "@ui";\nimport type { ButtonProps } from "@patternfly/react-core";';
	expect(deepen(code)).toBe(code);
});
