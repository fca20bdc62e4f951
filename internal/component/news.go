package component

import "sync"

// News wakes everybody who waits, each time there is some.
type News struct {
	mu   sync.Mutex
	next chan struct{}
}

// NewNews returns one that nobody waits for yet.
func NewNews() *News { return &News{next: make(chan struct{})} }

// Wait is closed at the next Tell.
func (n *News) Wait() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.next
}

// Tell wakes those who wait now.
func (n *News) Tell() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.next)
	n.next = make(chan struct{})
}
