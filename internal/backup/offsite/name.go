package offsite

import (
	"regexp"
	"strings"
	"time"
)

const (
	suffix      = ".gwb"
	probePrefix = "gateway-probe-"
	stampForm   = "20060102T150405Z"
	mostHost    = 63
)

// fileName is what every object is called, so that no name leads elsewhere.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$`)

// Name is what an archive is called on a target. Whoever finds it there sees whose it is and of when, and several
// nodes can share a target.
type Name struct {
	Host string
	Node string // its id
	At   time.Time
	ID   string // of the backup
}

var notInHost = regexp.MustCompile(`[^A-Za-z0-9-]+`)

func (n Name) String() string {
	host := strings.Trim(notInHost.ReplaceAllString(n.Host, "-"), "-")
	host = host[:min(len(host), mostHost)]
	if host == "" {
		host = "gateway"
	}
	return host + "_" + n.Node + "_" + n.At.UTC().Format(stampForm) + "_" + n.ID + suffix
}

// ParseName reads such a name.
func ParseName(text string) (Name, bool) {
	text, archive := strings.CutSuffix(text, suffix)
	parts := strings.Split(text, "_")
	if !archive || len(parts) != 4 || parts[1] == "" || parts[3] == "" {
		return Name{}, false
	}
	at, err := time.Parse(stampForm, parts[2])
	if err != nil {
		return Name{}, false
	}
	return Name{Host: parts[0], Node: parts[1], At: at, ID: parts[3]}, true
}
