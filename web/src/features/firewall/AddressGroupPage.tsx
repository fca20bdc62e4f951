import { GroupPage } from "./GroupPage";
import { addressKind } from "./groups";
import { addressSource } from "./sources";

/** AddressGroupPage is the addresses of a group. */
export default function AddressGroupPage() {
	return <GroupPage kind={addressKind} source={addressSource} />;
}
