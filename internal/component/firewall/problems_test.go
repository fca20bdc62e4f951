package firewall

import (
	"testing"

	"gateway/internal/sys"
)

func TestOnlyALinkThatCarriesPacketsIsFine(t *testing.T) {
	links := []sys.Interface{
		{Name: "up", Flags: []string{"BROADCAST", "UP", "LOWER_UP"}},
		{Name: "tunnel", Flags: []string{"UP", "RUNNING"}},
		{Name: "unplugged", Flags: []string{"UP"}},
		{Name: "off", Flags: []string{"BROADCAST", "LOWER_UP"}},
	}
	for name, want := range map[string]string{"up": "", "tunnel": "", "unplugged": "no_carrier", "off": "down", "gone": "missing"} {
		if _, got := judgeLink(links, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
