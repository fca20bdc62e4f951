import { isBlank } from "@ui/fields";
import { useEffect, useRef } from "react";
import { type Control, useController, useFormState, useWatch } from "react-hook-form";
import { networkOf } from "./network";
import { useNodeAddress } from "./requests";

/**
 * FromInterface fills in the network and the gateway of the interface that is chosen, where nothing is typed. It shows
 * nothing: the form has the fields.
 */
export function FromInterface({ control }: { control: Control }) {
	const link = useWatch({ control, name: "interface" }) as string;
	const { defaultValues } = useFormState({ control });
	const subnet = useController({ control, name: "subnet" }).field;
	const gateway = useController({ control, name: "gateway" }).field;
	const address = useNodeAddress(link);
	const filled = useRef<string[]>([]);
	// What a stored subnet leaves empty is meant to be.
	const chosen = link !== defaultValues?.interface && address;
	// biome-ignore lint/correctness/useExhaustiveDependencies: only the choice fills; what is emptied afterwards stays empty
	useEffect(() => {
		if (!chosen) return;
		const fits = ({ value }: { value: unknown }) => isBlank(value) || filled.current.includes(String(value));
		const network = networkOf(chosen);
		const [local = ""] = chosen.split("/");
		if (fits(subnet)) subnet.onChange(network);
		if (fits(gateway)) gateway.onChange(local);
		filled.current = [network, local];
	}, [chosen]);
	return null;
}
