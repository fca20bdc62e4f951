package clients

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"gateway/internal/dnsprovider"
)

func TestEveryKindHasAClient(t *testing.T) {
	kinds := dnsprovider.Kinds()
	open := Opener(func() ([]netip.Addr, error) { return nil, nil })
	for _, k := range kinds {
		settings := map[string]string{}
		for _, s := range k.Settings {
			settings[s.Name] = "x"
		}
		if client, err := open(k.Kind, settings); err != nil || client == nil {
			t.Errorf("%s: %v", k.Kind, err)
		}
	}
	if !slices.IsSortedFunc(kinds[1:], func(a, b dnsprovider.Kind) int { return strings.Compare(a.Kind, b.Kind) }) {
		t.Error("the kinds are not in order of their names")
	}
	if _, err := open("none", nil); err == nil {
		t.Error("a kind that is none has a client")
	}
}
