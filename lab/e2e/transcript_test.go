package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// transcript keeps every answer, with its headers, for a search.
type transcript struct {
	mu      sync.Mutex
	answers []heard
}

// heard is an answer, and the body of the request that it answers.
type heard struct {
	what, text string
	status     int
	sent       []byte
}

// add is for a caller without a transcript too.
func (t *transcript) add(r *answer) {
	if t == nil {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", r.status)
	for name, values := range r.header {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(values, "; "))
	}
	b.Write(r.body)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers = append(t.answers, heard{r.what, b.String(), r.status, r.sent})
}

func (t *transcript) all() []heard {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.answers)
}

// length is also the number that the next answer gets.
func (t *transcript) length() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.answers)
}
