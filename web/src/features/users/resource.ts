import {
	createUser,
	defineResource,
	deleteUser,
	getUser,
	listUsers,
	type User,
	type UserInput,
	updateUser,
} from "@api";

/** users is the collection behind the page. */
export const users = defineResource<User, UserInput>({
	path: "/users",
	tag: "user",
	name: (user) => user.email,
	list: listUsers,
	get: getUser,
	create: createUser,
	update: updateUser,
	remove: deleteUser,
});
