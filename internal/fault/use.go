package fault

// Use is an object that refers to another one: the way out of a refusal because of it begins there.
type Use struct {
	Kind string `json:"kind" doc:"What it is" example:"nat-rule"`
	ID   string `json:"id" doc:"Id of what uses it; empty for what has none"`
	Name string `json:"name" doc:"Name of what uses it"`
	Link string `json:"link" doc:"Page of the UI where it can be changed" example:"/proxy/sites/0190"`
}

// MostUses bounds how many users of an object a refusal names: a zone may have thousands of rules.
const MostUses = 10

// Uses are those of one object: the first of them, and how many there are.
type Uses struct {
	UsedBy      []Use `json:"used_by,omitempty" nullable:"false" doc:"With in_use: what refers to the object, each with the page where that can be changed; the first 10"`
	UsedByTotal int   `json:"used_by_total,omitempty" doc:"With in_use: how many refer to it"`
}

// UsesOf are all of these, of which the first are named.
func UsesOf(all ...Use) Uses { return Uses{all[:min(len(all), MostUses)], len(all)} }

// WithUses tells the caller who is in the way.
func (f *Fault) WithUses(u Uses) *Fault {
	f.Uses = u
	return f
}
