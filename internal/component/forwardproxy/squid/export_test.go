package squid

import "gateway/internal/namelist"

// PageOf is the name of the page of a rule with this name.
var PageOf = pageOf

// NewList is a list with these names, as if they had been read.
func NewList(name string, names ...string) List {
	l := List{Name: name, names: map[string][]byte{}, whole: true}
	if len(names) == 0 {
		return l
	}
	for _, part := range namelist.Split(names, namelist.Parts(len(names), 0)) {
		text := namelist.Text(part)
		l.Parts = append(l.Parts, namelist.Hash(text))
		l.names[namelist.Hash(text)] = []byte(text)
	}
	return l
}
