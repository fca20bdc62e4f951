import { ApiError } from "@api";
import { expect, test } from "vitest";
import { batchErrors } from "./batchErrors";

const names = ["shop.example.com", "www.example.com"];
const refused = (...fields: { field: string; message: string; text?: string }[]) =>
	new ApiError(409, "conflict", "operation 2 (DELETE /domains/7): it is used by 3 rules", fields);

test.each([
	[
		"the object is named",
		refused({ field: "operations[1]", message: "it is used by 3 rules" }),
		["www.example.com: It is used by 3 rules."],
	],
	[
		"and the field of it",
		refused({ field: "operations[0].body.name", message: "is taken", text: "is taken" }),
		["shop.example.com, name: Already in use."],
	],
	["what is said of the whole stays as it is", refused(), undefined],
	["an operation that is not one of theirs as well", refused({ field: "operations[7]", message: "no" }), undefined],
	["no answer is no refusal", new Error("gone"), undefined],
])("%s", (_, error, want) => expect(batchErrors(error, names)).toEqual(want));
