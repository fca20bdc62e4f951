package haproxyconf

import "testing"

// The way that docs/architecture.md describes: from the request to a HAProxy that runs.
func TestTheWayOfADomain(t *testing.T) {
	r := newRig(t)
	backend := r.Backend("web")
	r.Server(backend, "a", newOrigin(t, "a").at)
	r.Trace("/domains", func() { r.Site("walk.example.com", backend) })
}
