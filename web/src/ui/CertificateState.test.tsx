import { queryClient, setUp } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { beforeAll, expect, test } from "vitest";
import { answer, ok } from "../test/server";
import { CertificateState } from "./CertificateState";

beforeAll(setUp);

test("a certificate that is stored but not served is not valid", async () => {
	const state = { state: "not_applied", code: "cert.not_applied", params: { name: "a.example" }, message: "" };
	answer({ "GET /problems/states/certificate": () => ok({ known: true, states: { a: state } }) });
	render(
		<QueryClientProvider client={queryClient}>
			<CertificateState id="a" status="valid" />
			<CertificateState id="b" status="valid" />
		</QueryClientProvider>,
	);
	expect(await screen.findByText("Not applied")).toBeTruthy();
	expect(screen.getAllByText("Valid").length).toBe(1);
});
