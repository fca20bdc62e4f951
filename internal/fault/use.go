package fault

import "strings"

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

// InUse refuses to delete what others refer to, in the same words everywhere, and says who they are: at least one.
func InUse(noun string, u Uses) *Fault {
	first := u.UsedBy[0]
	f := New(Conflict, "this %s is still used by %s %q; remove or replace it there first", noun, nounOf(first.Kind), first.Name)
	if more := u.UsedByTotal - 1; more > 0 {
		f = New(Conflict, "this %s is still used by %s %q and %d more; remove or replace it there first", noun, nounOf(first.Kind), first.Name, more)
	}
	return f.WithCode("in_use").WithUses(u)
}

// nounOf is what operators call a kind: "address group", "NAT rule".
func nounOf(kind string) string {
	noun := strings.ReplaceAll(kind, "-", " ")
	for _, short := range []string{"NAT", "TCP"} {
		if rest, is := strings.CutPrefix(noun, strings.ToLower(short)+" "); is {
			return short + " " + rest
		}
	}
	return noun
}
