package logs

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"gateway/internal/component"
)

// support are the last entries of each unit, and the last bad ones of all: a unit that writes a great deal hides no other.
// The access log and the audit log are not in it: they tell what clients and operators do.
func support(sources []Source) []component.Support {
	out := []component.Support{{File: "warnings.log", Read: lines("/logs?level=warn&limit=500")}}
	var units []string
	for _, s := range sources {
		if s.Unit == "" || s.namespace != "" || slices.Contains(units, s.Unit) {
			continue
		}
		units = append(units, s.Unit)
		out = append(out, component.Support{File: s.Name + ".log", Read: lines("/logs?limit=300&sources=" + s.Name)})
	}
	return out
}

// lease is what a line of the DHCP server has that says who has which address: the client, or the lease by its address.
var lease = regexp.MustCompile(`\bhwtype=\d|\blease \d+\.\d+\.\d+\.\d+`)

// lines is a page of entries as text, the oldest first. A further line of an entry is indented: it is none of its own. Lines about DHCP
// leases are only counted: they tell who uses the network.
func lines(path string) component.SupportRead {
	return func(ctx context.Context, get component.Get) ([]byte, error) {
		data, err := get(ctx, path)
		if err != nil {
			return nil, err
		}
		var page Page
		if err := json.Unmarshal(data, &page); err != nil {
			return nil, fmt.Errorf("read the answer to %s: %w", path, err)
		}
		var text strings.Builder
		all := len(page.Entries)
		page.Entries = slices.DeleteFunc(page.Entries, func(e Entry) bool { return lease.MatchString(e.Message) })
		if left := all - len(page.Entries); left > 0 {
			fmt.Fprintf(&text, "%d lines about DHCP leases are left out\n", left)
		}
		for _, e := range slices.Backward(page.Entries) {
			fmt.Fprintf(&text, "%s %-5s %s %s[%d]: %s\n", e.At.Format(time.RFC3339Nano), e.Level, e.Source, e.Program, e.PID, strings.ReplaceAll(e.Message, "\n", "\n\t"))
		}
		return []byte(text.String()), nil
	}
}
