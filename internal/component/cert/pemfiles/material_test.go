package pemfiles

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"
)

// selfSigned is a certificate that is its own authority.
func selfSigned(t testing.TB, name string) Material {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	number, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 126))
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: number.Add(number, big.NewInt(1)), DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMaterial(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), key)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOpenSSLsFormsOfAKeyAreRead(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	spelled, err := EncodeKey(key)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseKey(append([]byte("-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"), spelled...))
	if err != nil || !matches(&x509.Certificate{PublicKey: key.Public()}, read) {
		t.Errorf("read = %v, want the same key", err)
	}
	if _, err := ParseKey([]byte("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n")); err == nil || !strings.Contains(err.Error(), "passphrase") {
		t.Errorf("an encrypted key: %v, want a word about the passphrase", err)
	}
}
