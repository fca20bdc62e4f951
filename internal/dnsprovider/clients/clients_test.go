package clients

import (
	"slices"
	"strings"
	"testing"

	"gateway/internal/dnsprovider"
)

func TestEveryKindHasAClient(t *testing.T) {
	kinds := dnsprovider.Kinds()
	for _, k := range kinds {
		settings := map[string]string{}
		for _, s := range k.Settings {
			settings[s.Name] = "x"
		}
		if client, err := Open(k.Kind, settings); err != nil || client == nil {
			t.Errorf("%s: %v", k.Kind, err)
		}
	}
	if !slices.IsSortedFunc(kinds[1:], func(a, b dnsprovider.Kind) int { return strings.Compare(a.Kind, b.Kind) }) {
		t.Error("the kinds are not in order of their names")
	}
	if _, err := Open("none", nil); err == nil {
		t.Error("a kind that is none has a client")
	}
}
