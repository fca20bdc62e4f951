import { ApiError } from "./error";

/** wrongAt words a refused password or code ourselves, at the field where it was typed. */
export async function wrongAt<T>(field: string, message: string, request: Promise<T>): Promise<T> {
	try {
		return await request;
	} catch (error) {
		const ours = error instanceof ApiError && (error.code === "wrong_password" || error.fields[0]?.field === "code");
		throw ours ? new ApiError(422, "invalid", message, [{ field, message }]) : error;
	}
}
