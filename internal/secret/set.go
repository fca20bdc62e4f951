package secret

import (
	"encoding/json"
	"maps"
	"slices"
)

// Masked is what a stored secret is answered as, and how it is sent back to stay.
const Masked = "***SET***"

// Stays reports whether any of these is to stay as it is stored.
func Stays(sent map[string]*Text) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(sent)), func(t *Text) bool { return t.Reveal() == Masked })
}

// SealSet is what is stored of several secrets in one column: which there are, and all of them sealed, or nil for none.
// Those that stay come from kept. changed says whether there is another one among them.
func (b *Box) SealSet(sent map[string]*Text, kept map[string]string, where Place) (names []string, sealed []byte, changed bool) {
	set := map[string]string{}
	for name, value := range sent {
		switch text := value.Reveal(); text {
		case "":
		case Masked:
			set[name] = kept[name]
		default:
			set[name], changed = text, true
		}
	}
	if len(set) == 0 {
		return []string{}, nil, changed
	}
	text, err := json.Marshal(set)
	if err != nil {
		panic(err) // texts by name always have a JSON form
	}
	return slices.Sorted(maps.Keys(set)), b.Seal(text, where), changed
}
