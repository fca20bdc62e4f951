import { ApiError } from "@api";
import { expect, test } from "vitest";
import { place, toPath } from "./serverErrors";
import { serverText } from "./serverText";

test("a JSON path becomes a form path", () => {
	expect(toPath("servers[2].port")).toBe("servers.2.port");
});

test("messages stand at their field, and above the form when it has no such field", () => {
	const error = new ApiError(400, "invalid", "the request is not valid", [
		{ field: "email", message: "is taken" },
		{ field: "acme.email", message: "must be an e-mail address" },
	]);
	expect(place(error, ["email", "role"])).toEqual({
		atField: [{ name: "email", message: "Already in use" }],
		above: ["acme.email must be an e-mail address"],
	});
});

test("an error without fields is told as a whole", () => {
	expect(place(new ApiError(409, "conflict", "this is the last active admin"), ["email"]).above).toEqual([
		"This is the last active administrator",
	]);
});

test("the server's sentences are worded for the reader, with what varies in them", () => {
	expect(serverText("the password must have at least 12 characters")).toBe("At least 12 characters");
	expect(serverText("this backend is still used by 3 rules")).toBe("This is still used by 3 rules");
	expect(serverText('this violates the assertion "guests": this would pass: $& tcp')).toBe(
		'This violates the assertion "guests": this would pass: $& tcp',
	);
	expect(serverText('rule "Web" still uses this zone')).toBe('Still in use: rule "Web"');
	expect(serverText("something nobody translated")).toBe("something nobody translated");
});
