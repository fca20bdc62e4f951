package logs

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"time"

	"gateway/internal/fault"
)

// position is where a page goes on, in each of the logs. An offset would make it read all the pages
// before it.
type position struct {
	Journal  string    `json:"j,omitempty"` // cursor of the last entry
	Access   string    `json:"x,omitempty"` // the same in the journal of the access log
	Until    time.Time `json:"u,omitzero"`  // everything later was searched
	AuditAt  time.Time `json:"a,omitzero"`
	AuditSeq int64     `json:"s,omitempty"`
}

// positionIn is that of an entry of a journal.
func positionIn(namespace, cursor string) position {
	if namespace != "" {
		return position{Access: cursor}
	}
	return position{Journal: cursor}
}

// cursor is where a journal goes on.
func (p position) cursor(namespace string) string {
	if namespace != "" {
		return p.Access
	}
	return p.Journal
}

// after is the position once the entry at place is on a page.
func (p position) after(place position) position {
	if place.Journal != "" {
		p.Journal = place.Journal
	}
	if place.Access != "" {
		p.Access = place.Access
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
	if err != nil || !cursorShape.MatchString(p.Journal) || !cursorShape.MatchString(p.Access) {
		return p, fault.At("cursor", "is not one that GET /logs answered")
	}
	return p, nil
}

// cursorShape is what journald makes them of.
var cursorShape = regexp.MustCompile(`^[a-z0-9=;-]*$`)
