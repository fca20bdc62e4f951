package forwardproxy

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// silence is how long a name server may owe an answer: Squid asks again after five seconds, and an answer
// takes less than one.
const silence = 3 * time.Second

// nameservers remembers what Squid counted of its DNS servers. Its counts begin with its process, so that one look tells
// neither whether a server is silent now nor since when; nothing tells of a server that nobody has asked.
type nameservers struct {
	mu   sync.Mutex
	seen map[string]counted
}

// counted is what Squid counted of one server at the last look, and when it was first asked without an answer.
type counted struct {
	queries, replies int
	since            time.Time
}

// silent are the servers that were asked and have not answered for a while, by Squid's page of them.
func (n *nameservers) silent(page string, now time.Time) (silent []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before := n.seen
	n.seen = map[string]counted{}
	_, table, _ := strings.Cut(page, "\nNameservers:")
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) == 0 && len(n.seen) > 0 {
			break
		}
		if len(f) < 3 {
			continue
		}
		queries, err := strconv.Atoi(f[1])
		replies, err2 := strconv.Atoi(f[2])
		if err != nil || err2 != nil {
			continue
		}
		c, was := counted{queries: queries, replies: replies}, before[f[0]]
		if _, known := before[f[0]]; known && replies == was.replies && queries >= was.queries {
			c.since = was.since
			if c.since.IsZero() && queries > was.queries {
				c.since = now
			}
		}
		n.seen[f[0]] = c
		if !c.since.IsZero() && now.Sub(c.since) >= silence {
			silent = append(silent, f[0])
		}
	}
	return silent
}
