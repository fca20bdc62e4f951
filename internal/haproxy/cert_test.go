package haproxy_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/haproxy"
	"gateway/lab/haproxytest"
)

// newPEM makes a certificate with its key the way a file of ours may look: with empty lines.
func newPEM(t testing.TB, serial int64, key any, names ...string) []byte {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: names[0]}, DNSNames: names,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Date(2040, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	var public any
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		public = &k.PublicKey
	case *rsa.PrivateKey:
		public = &k.PublicKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Join([][]byte{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), nil,
	}, []byte("\r\n\n"))
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// tlsRig is an HAProxy with a certificate for a.example as the default.
type tlsRig struct {
	*rig
	list, first string
}

func newTLSRig(t testing.TB) *tlsRig {
	t.Helper()
	r := &tlsRig{rig: &rig{t: t, Daemon: haproxytest.New(t)}}
	r.first = r.Write("a.pem", string(newPEM(t, 1, newKey(t), "a.example")))
	r.list = r.Write("list", r.first+"\n")
	r.Start(fmt.Sprintf("defaults\n\tmode http\n\ttimeout client 30s\nfrontend web\n\tbind unix@%s/tls ssl crt-list %s\n\thttp-request return status 200\n", r.Dir, r.list))
	return r
}

// serial is that of the certificate served for a name.
func (r *tlsRig) serial(name string) int64 {
	r.t.Helper()
	conn := r.Dial("tls")
	defer conn.Close()
	c := tls.Client(conn, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err := c.HandshakeContext(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

func TestCertificateIsSwapped(t *testing.T) {
	r := newTLSRig(t)
	ctx := short(t)
	for serial := int64(2); serial < 5; serial++ {
		r.must(r.Runtime.CertSet(ctx, r.first, newPEM(t, serial, newKey(t), "a.example", "www.a.example")))
		if got := r.serial("a.example"); got != serial {
			t.Errorf("served serial = %d, want %d", got, serial)
		}
	}
	got, err := r.Runtime.CertInfo(ctx, r.first)
	end := time.Date(2040, 1, 2, 3, 4, 5, 0, time.UTC)
	if err != nil || got.Serial != "04" || got.Status != "Used" || !got.NotAfter.Equal(end) || !slices.Equal(got.Names, []string{"a.example", "www.a.example"}) {
		t.Errorf("CertInfo = %+v, %v, want serial 04 used until %v", got, err, end)
	}
}

func TestLargeCertificate(t *testing.T) {
	r := newTLSRig(t)
	key, err := rsa.GenerateKey(rand.Reader, 4096)
	r.must(err)
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("name-%d.department.customer.example.com", i))
	}
	large := newPEM(t, 9, key, names...)
	chain := newPEM(t, 10, newKey(t), names[:50]...)
	chain = chain[:bytes.Index(chain, []byte("-----BEGIN PRIVATE"))]
	large = append(large, chain...)
	t.Logf("%d bytes", len(large))
	r.must(r.Runtime.CertSet(short(t), r.first, large))
	if got := r.serial("a.example"); got != 9 {
		t.Errorf("served serial = %d, want 9", got)
	}
	var refusal *haproxy.Refusal
	for len(large) < 20_000 {
		large = append(large, chain...)
	}
	if err := r.Runtime.CertSet(short(t), r.first, large); !errors.As(err, &refusal) || !strings.Contains(refusal.Answer, "too big") {
		t.Errorf("a certificate of %d bytes = %v, want it refused as too big", len(large), err)
	}
}

func TestCertificateIsAddedAndRemoved(t *testing.T) {
	r := newTLSRig(t)
	ctx := short(t)
	file := r.Path("b.pem")
	for serial := int64(20); serial < 22; serial++ { // twice is once
		r.must(r.Runtime.CertAdd(ctx, r.list, file, newPEM(t, serial, newKey(t), "b.example"), []string{"b.example", "*.b.example"}))
		for _, name := range []string{"b.example", "www.b.example"} {
			if got := r.serial(name); got != serial {
				t.Errorf("%s: served serial = %d, want %d", name, got, serial)
			}
		}
	}
	if got, err := r.Runtime.CrtList(ctx, r.list); err != nil || !slices.Equal(got, []string{r.first, file}) {
		t.Errorf("CrtList = %q, %v, want %q and %q", got, err, r.first, file)
	}
	for range 2 {
		r.must(r.Runtime.CertRemove(ctx, r.list, file))
		if got := r.serial("b.example"); got != 1 {
			t.Errorf("after the removal serial = %d, want that of the default", got)
		}
	}
	if _, err := r.Runtime.CertInfo(ctx, file); err == nil {
		t.Error("a removed certificate is still in memory")
	}
	r.must(r.Runtime.CertAdd(ctx, r.list, file, newPEM(t, 30, newKey(t), "b.example"), nil))
	if got := r.serial("b.example"); got != 30 {
		t.Errorf("without filters: served serial = %d, want 30", got)
	}
}

func TestCertificateRefusals(t *testing.T) {
	r := newTLSRig(t)
	ctx := short(t)
	good := newPEM(t, 7, newKey(t), "a.example")
	other := newPEM(t, 8, newKey(t), "a.example")
	split := bytes.Index(other, []byte("-----BEGIN PRIVATE"))
	mixed := append(bytes.Clone(good[:bytes.Index(good, []byte("-----BEGIN PRIVATE"))]), other[split:]...)
	for _, tc := range []struct {
		name, want string
		err        error
	}{
		{"no certificate at all", "unable to load", r.Runtime.CertSet(ctx, r.first, []byte("nonsense"))},
		{"nothing", "without a line", r.Runtime.CertSet(ctx, r.first, []byte("\n\n"))},
		{"a key of another", "", r.Runtime.CertSet(ctx, r.first, mixed)},
		{"an unknown file", "not referenced", r.Runtime.CertSet(ctx, r.Path("none.pem"), good)},
		{"an unknown list", "does not exist", r.Runtime.CertAdd(ctx, r.Path("none"), r.Path("b.pem"), good, nil)},
		{"a bad one for a list", "unable to load", r.Runtime.CertAdd(ctx, r.list, r.Path("b.pem"), []byte("nonsense"), nil)},
		{"the default of a list", "", r.Runtime.CertRemove(ctx, r.list, r.first)},
		{"information on nothing", "Not found", func() error { _, err := r.Runtime.CertInfo(ctx, r.Path("b.pem")); return err }()},
		{"the list of nothing", "didn't find", func() error { _, err := r.Runtime.CrtList(ctx, r.Path("none")); return err }()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.err == nil || !strings.Contains(tc.err.Error(), tc.want) {
				t.Errorf("got %v, want %s", tc.err, tc.want)
			}
		})
	}
	if got := r.serial("a.example"); got != 1 {
		t.Errorf("after refusals serial = %d, want 1", got)
	}
	r.must(r.Runtime.CertSet(ctx, r.first, good))
}

// A process that died between its two commands leaves a transaction behind.
func TestCertificateAfterAnAbandonedTransaction(t *testing.T) {
	r := newTLSRig(t)
	ctx := short(t)
	r.must(r.Runtime.CertAdd(ctx, r.list, r.Path("b.pem"), newPEM(t, 2, newKey(t), "b.example"), nil))
	r.must(haproxy.Stage(ctx, r.Runtime, r.Path("b.pem"), newPEM(t, 3, newKey(t), "b.example")))
	r.must(r.Runtime.CertSet(ctx, r.first, newPEM(t, 4, newKey(t), "a.example")))
	if a, b := r.serial("a.example"), r.serial("b.example"); a != 4 || b != 2 {
		t.Errorf("serials = %d and %d, want 4 and 2", a, b)
	}
}

func BenchmarkCertSet(b *testing.B) {
	r := newTLSRig(b)
	pair := [][]byte{newPEM(b, 2, newKey(b), "a.example"), newPEM(b, 3, newKey(b), "a.example")}
	for i := 0; b.Loop(); i++ {
		r.must(r.Runtime.CertSet(context.Background(), r.first, pair[i%2]))
	}
}

func BenchmarkMapSet(b *testing.B) {
	r := newRig(b, "a 1\n")
	for i := 0; b.Loop(); i++ {
		r.must(r.Runtime.MapSet(context.Background(), r.values, []haproxy.MapChange{{Key: "a", Value: fmt.Sprint(i)}}))
	}
}

func BenchmarkMapAdd(b *testing.B) {
	r := newRig(b, "a 1\n")
	for i := 0; b.Loop(); i++ {
		r.must(r.Runtime.MapSet(context.Background(), r.values, []haproxy.MapChange{{Key: fmt.Sprint("k", i), Value: "v"}}))
	}
}
