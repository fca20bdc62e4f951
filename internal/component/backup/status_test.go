package backup

import (
	"testing"

	"gateway/internal/fault"
	"gateway/internal/identity"
)

// Whoever has a token alone must not make archives readable for themselves.
func TestATokenSetsNoPassphrase(t *testing.T) {
	r := newRig(t)
	in := &struct{ Body PassphraseInput }{PassphraseInput{Passphrase: "correct horse battery"}}
	ctx := identity.With(t.Context(), identity.Identity{Email: "ann@example.com", Role: identity.Admin, TokenID: "t1", TokenName: "nightly"})
	_, err := r.s.setPassphrase(ctx, in)
	if f, known := fault.Of(err); !known || f.Kind != fault.Forbidden {
		t.Errorf("by a token: %v", err)
	}
	if r.status().Passphrase {
		t.Error("a token set the passphrase")
	}
}
