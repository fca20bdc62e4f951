import { openapiOptions } from "@api";
import { useQuery } from "@tanstack/react-query";
import { type Document, operationsOf } from "./openapi";

const read = (body: unknown) => {
	const document = body as Document;
	return { document, operations: operationsOf(document) };
};

/** useDocument is the description of the API; it only changes with the version of the gateway. */
export const useDocument = () => useQuery({ ...openapiOptions(), staleTime: Number.POSITIVE_INFINITY, select: read });
