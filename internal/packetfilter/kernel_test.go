package packetfilter

import (
	"testing"

	"gateway/lab/wiretest"
)

// kernel is a gateway that takes policies.
type kernel struct{ *wiretest.Gateway }

func newKernel(t testing.TB, interfaces ...wiretest.Interface) *kernel {
	t.Helper()
	return &kernel{wiretest.New(t, interfaces...)}
}

// mustLoad makes a policy's text the table, or fails the test.
func (k *kernel) mustLoad(t testing.TB, text Text) {
	t.Helper()
	batch := append(text.Rules[:len(text.Rules):len(text.Rules)], text.Elements...)
	if _, err := k.Nft(t.Context(), batch, "-f", "-"); err != nil {
		t.Fatalf("%v\n%s", err, batch)
	}
}
