package logs

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"time"

	"gateway/internal/fault"
)

// position is where a page goes on, in both logs. An offset would make it read all the pages
// before it.
type position struct {
	Journal  string    `json:"j,omitempty"` // cursor of the last entry
	Until    time.Time `json:"u,omitzero"`  // everything later was searched
	AuditAt  time.Time `json:"a,omitzero"`
	AuditSeq int64     `json:"s,omitempty"`
}

// after is the position once the entry at place is on a page.
func (p position) after(place position) position {
	if place.Journal != "" {
		p.Journal = place.Journal
	}
	if !place.AuditAt.IsZero() {
		p.AuditAt, p.AuditSeq = place.AuditAt, place.AuditSeq
	}
	return p
}

// String is what callers send back; they need not understand it.
func (p position) String() string {
	data, _ := json.Marshal(p) //nolint:errchkjson // texts, times and a number
	return base64.RawURLEncoding.EncodeToString(data)
}

func parsePosition(s string) (position, error) {
	var p position
	if s == "" {
		return p, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil || !cursorShape.MatchString(p.Journal) {
		return p, fault.At("cursor", "is not one that GET /logs answered")
	}
	return p, nil
}

// cursorShape is what journald makes them of.
var cursorShape = regexp.MustCompile(`^[a-z0-9=;-]*$`)
