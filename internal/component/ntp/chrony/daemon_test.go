package chrony

import (
	"fmt"
	"strings"
)

func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, strings.TrimSuffix(line, "\n"))
	}
	return out
}

func pointer[T any](v T) *T { return &v }

var errFake = fmt.Errorf("made up for a test")
