package cert

import (
	"fmt"
	"slices"
	"strings"

	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/fault"
)

// parseNames reads them all, the main one first, and refuses what is there twice.
func parseNames(p *fault.Problems, names []string) []string {
	out := make([]string, 0, len(names))
	for i, s := range names {
		at := fmt.Sprintf("names[%d]", i)
		name, err := pemfiles.ParseName(s)
		switch {
		case err != nil:
			p.AddError(at, err)
		case slices.Contains(out, name):
			p.Add(at, "is a duplicate")
		default:
			out = append(out, name)
		}
	}
	return out
}

// apex is the name without the wildcard: where its challenges and records are.
func apex(name string) string { return strings.TrimPrefix(name, "*.") }
