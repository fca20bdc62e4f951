package restore

// LinkColumns are the tables and columns that MapLinks renames in.
func LinkColumns() (all []string) {
	for _, l := range linkColumns {
		all = append(all, l.table+"."+l.column)
	}
	return all
}
