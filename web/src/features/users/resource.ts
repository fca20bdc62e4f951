import {
	createUser,
	defineResource,
	deleteUser,
	getUser,
	listUsers,
	type User,
	type UserInputWritable,
	updateUser,
} from "@api";

/** users is the collection behind the page. */
export const users = defineResource<User, UserInputWritable>({
	path: "/users",
	tag: "user",
	name: (user) => user.email,
	list: listUsers,
	get: getUser,
	create: createUser,
	update: updateUser,
	remove: deleteUser,
});
