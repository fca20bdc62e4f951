import { zDhcpReservationInput } from "@api/schemas";
import { type FormSpec, useUrlState } from "@ui";
import { useSubnetChoices } from "./requests";

export const form: FormSpec = {
	schema: zDhcpReservationInput,
	useInitial,
	fields: [
		{ name: "subnet_id", kind: "choice", useChoices: useSubnetChoices, section: "reservation" },
		{ name: "address", focus: true, section: "reservation" },
		{ name: "mac", required: false, section: "reservation" },
		{ name: "hostname", required: false, section: "reservation" },
		{ name: "description", section: "reservation" },
		{ name: "client_id", required: false, section: "advanced" },
	],
};

/** useInitial begins in the subnet that the list shows, or the only one there is. */
function useInitial() {
	const subnets = useSubnetChoices();
	const [{ filter }] = useUrlState();
	const subnet_id = filter?.replace(/^subnet_id:/, "") ?? (subnets.length === 1 ? subnets[0]?.value : undefined);
	return { subnet_id };
}
