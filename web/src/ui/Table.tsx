import "@patternfly/react-styles/css/components/Table/table.css";
import "@patternfly/react-styles/css/components/Table/table-grid.css";
import "./table.css";
import type { ComponentProps } from "react";

// PatternFly's tables without its components, which bring 25 kB and measure themselves. The names
// and the few props are the same.

const join = (...classes: (string | false | undefined)[]) => classes.filter(Boolean).join(" ");

interface TableProps extends ComponentProps<"table"> {
	"aria-label": string;
	/** "compact" has less space around the cells. */
	variant?: "compact";
	/** The only one there is. */
	gridBreakPoint?: "grid-md";
}

/** Table is a short table; for a resource of the API take ResourceTable. Rows are cards on a narrow screen. */
export const Table = ({ variant, gridBreakPoint: _, className, ...rest }: TableProps) => (
	<table {...rest} className={join("pf-v6-c-table pf-m-grid-md", variant && "pf-m-compact", className)} />
);

export const Thead = (props: ComponentProps<"thead">) => <thead {...props} className="pf-v6-c-table__thead" />;

export const Tbody = (props: ComponentProps<"tbody">) => <tbody {...props} className="pf-v6-c-table__tbody" />;

export const Tr = ({ className, ...rest }: ComponentProps<"tr">) => (
	<tr {...rest} className={join("pf-v6-c-table__tr", className)} />
);

interface ThProps extends Omit<ComponentProps<"th">, "width"> {
	/** Percent of the table. */
	width?: number;
	/** Title of a column that shows none. */
	screenReaderText?: string;
}

export const Th = ({ width, screenReaderText, className, children, style, ...rest }: ThProps) => (
	<th
		scope="col"
		{...rest}
		className={join("pf-v6-c-table__th", className)}
		style={{ ...style, width: width === undefined ? undefined : `${width}%` }}
	>
		{screenReaderText ? <span className="pf-v6-screen-reader">{screenReaderText}</span> : children}
	</th>
);

interface TdProps extends ComponentProps<"td"> {
	/** Title of its column, shown beside the value when rows are cards. */
	dataLabel?: string;
	modifier?: "truncate" | "nowrap" | "breakWord" | "fitContent";
	/** Holds buttons. */
	isActionCell?: boolean;
}

const modifiers = {
	truncate: "pf-m-truncate",
	nowrap: "pf-m-nowrap",
	breakWord: "pf-m-break-word",
	fitContent: "pf-m-fit-content",
};

export const Td = ({ dataLabel, modifier, isActionCell, className, ...rest }: TdProps) => (
	<td
		{...rest}
		data-label={dataLabel}
		className={join(
			"pf-v6-c-table__td",
			modifier && modifiers[modifier],
			isActionCell && "pf-v6-c-table__action",
			className,
		)}
	/>
);
