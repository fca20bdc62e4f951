package component

import "sync"

// Broadcast wakes everybody who waits, each time something changed.
type Broadcast struct {
	mu   sync.Mutex
	next chan struct{}
}

// NewBroadcast returns one that nobody waits for yet.
func NewBroadcast() *Broadcast { return &Broadcast{next: make(chan struct{})} }

// Wait is closed at the next Notify.
func (b *Broadcast) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next
}

// Notify wakes those who wait now.
func (b *Broadcast) Notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.next)
	b.next = make(chan struct{})
}
