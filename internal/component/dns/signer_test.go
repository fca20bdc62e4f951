package dns_test

import (
	"crypto"
	"strings"
	"testing"
	"time"

	mdns "github.com/miekg/dns"
)

// signer signs for a root of the test's own.
type signer struct {
	dnskey *mdns.DNSKEY
	secret crypto.Signer
}

// newKey also returns what unbound is to trust.
func newKey(t testing.TB) (*signer, string) {
	t.Helper()
	k := &mdns.DNSKEY{
		Hdr:   mdns.RR_Header{Name: ".", Rrtype: mdns.TypeDNSKEY, Class: mdns.ClassINET, Ttl: 3600},
		Flags: 257, Protocol: 3, Algorithm: mdns.ECDSAP256SHA256,
	}
	secret, err := k.Generate(256)
	if err != nil {
		t.Fatal(err)
	}
	ds := k.ToDS(mdns.SHA256)
	return &signer{k, secret.(crypto.Signer)}, strings.ReplaceAll(ds.String(), "\t", " ")
}

// sign returns a record and its signature.
func (s *signer) sign(t testing.TB, rr mdns.RR) []mdns.RR {
	t.Helper()
	now := time.Now()
	sig := &mdns.RRSIG{
		Hdr:       mdns.RR_Header{Name: rr.Header().Name, Rrtype: mdns.TypeRRSIG, Class: mdns.ClassINET, Ttl: 300},
		Inception: uint32(now.Add(-time.Hour).Unix()), Expiration: uint32(now.Add(time.Hour).Unix()),
		KeyTag: s.dnskey.KeyTag(), SignerName: ".", Algorithm: s.dnskey.Algorithm,
	}
	if err := sig.Sign(s.secret, []mdns.RR{rr}); err != nil {
		t.Error(err)
	}
	return []mdns.RR{mdns.Copy(rr), sig}
}
