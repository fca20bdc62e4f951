package proxy

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gateway/internal/db"
)

// coverRow is a certificate that is served.
type coverRow struct {
	Names               []string
	NotBefore, NotAfter time.Time
}

// covers are the certificates by the names in them; of several, the one that lasts longest.
type covers map[string]coverRow

func readCovers(ctx context.Context, q db.DB) (covers, error) {
	all, err := db.List[coverRow](ctx, q, `select issued_names as names, not_before, not_after from certificates
		where chain is not null and not_before is not null and not_after is not null`)
	if err != nil {
		return nil, fmt.Errorf("list certificates: %w", err)
	}
	c := covers{}
	for _, row := range all {
		for _, name := range row.Names {
			if known, there := c[name]; !there || row.NotAfter.After(known.NotAfter) {
				c[name] = row
			}
		}
	}
	return c, nil
}

// of is the certificate for a name. A wildcard stands for exactly one label.
func (c covers) of(name string) (coverRow, bool) {
	if row, ok := c[name]; ok {
		return row, true
	}
	_, parent, _ := strings.Cut(name, ".")
	row, ok := c["*."+parent]
	return row, ok
}

// expiring is when a renewal has failed for a while: two weeks before the end, or for
// short-lived ones when a quarter of the lifetime is left.
func (r coverRow) expiring(now time.Time) bool {
	return r.NotAfter.Sub(now) < min(14*24*time.Hour, r.NotAfter.Sub(r.NotBefore)/4)
}
