package resource

import "strings"

// What the API reference says of the operations that every resource has.
const (
	getHelp     = "Returns it as stored, with its ETag."
	createHelp  = "Stores it and reconfigures the daemons it concerns. Returns it as stored, with its ETag, and its path in Location."
	replaceHelp = "Replaces all fields and reconfigures the daemons it concerns. A field that is left out gets its default, unless its description says otherwise. " +
		"Send the ETag as If-Match; if someone else changed it since, the response is 412 with the stored state."
	patchHelp  = "Sets the fields that are given and leaves the others as they are. Send the ETag as If-Match."
	deleteHelp = "Deletes it and reconfigures the daemons it concerns; 409 while something else uses it. Send the ETag as If-Match."
)

func (d Resource[Row, In]) listHelp() string {
	help := d.listUnderHelp()
	if len(d.Filter) > 0 {
		help += " filter accepts " + strings.Join(d.Filter, ", ") + "."
	}
	return help
}

// listUnderHelp leaves filter out: it is the owner there.
func (d Resource[Row, In]) listUnderHelp() string {
	help := "One page; X-Total-Count is the number of all matches."
	if len(d.Search) > 0 {
		help += " q searches " + strings.Join(d.Search, ", ") + "."
	}
	return help + " sort accepts " + strings.Join(d.Sort, ", ") + "; default " + d.Sort[0] + "."
}
