import "./table.css";
import { Divider, Dropdown, DropdownItem, DropdownList, MenuToggle } from "@patternfly/react-core";
import { EllipsisVIcon } from "@patternfly/react-icons";
import { useState } from "react";

/** RowAction is an entry of a row's menu, or a line between entries. */
export type RowAction =
	| { title: string; onClick: () => void; isDanger?: boolean; isSeparator?: false }
	| { isSeparator: true };

interface Props {
	/** A function is asked when the menu is used. */
	items: RowAction[] | (() => RowAction[]);
	/** What the button says to screen readers: "Actions for …". */
	label: string;
}

/** RowMenu is the menu of a row. It is only a button until it is used, so that a thousand of them scroll well. */
export function RowMenu({ items, label }: Props) {
	const [used, setUsed] = useState(false);
	const [open, setOpen] = useState(false);
	const click = () => {
		if (used) return setOpen(!open);
		setUsed(true);
		// Once this click is over: the menu would take it for one outside of itself, and close.
		setTimeout(() => setOpen(true));
	};
	const look = { variant: "plain", "aria-label": label, icon: <EllipsisVIcon />, onClick: click } as const;
	if (!used) {
		return (
			<button
				type="button"
				className="gw-kebab"
				aria-label={label}
				aria-haspopup="menu"
				aria-expanded={false}
				onClick={click}
			>
				<EllipsisVIcon />
			</button>
		);
	}
	return (
		<Dropdown
			isOpen={open}
			onOpenChange={setOpen}
			onSelect={() => setOpen(false)}
			popperProps={{ position: "right" }}
			toggle={(ref) => <MenuToggle {...look} ref={ref} isExpanded={open} />}
			shouldFocusFirstItemOnOpen
		>
			<DropdownList>
				{(typeof items === "function" ? items() : items).map((item, index) =>
					item.isSeparator ? (
						// biome-ignore lint/suspicious/noArrayIndexKey: the entries of a menu keep their place
						<Divider key={index} component="li" />
					) : (
						<DropdownItem key={item.title} isDanger={item.isDanger} onClick={item.onClick}>
							{item.title}
						</DropdownItem>
					),
				)}
			</DropdownList>
		</Dropdown>
	);
}
