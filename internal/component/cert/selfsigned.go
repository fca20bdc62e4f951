package cert

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"

	"gateway/internal/component/cert/pemfiles"
)

// selfSignedFor is how long one that nobody else signed is good for. Browsers take none
// that is good for longer from an authority they trust, and this is the habit to keep.
const selfSignedFor = 398 * 24 * time.Hour

// selfSigned makes a certificate that is its own authority, for names inside.
func selfSigned(names []string, keyType string, now time.Time) (pemfiles.Material, error) {
	key, err := newKey(keyType)
	if err != nil {
		return pemfiles.Material{}, fmt.Errorf("make a private key: %w", err)
	}
	number, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 126))
	if err != nil {
		return pemfiles.Material{}, fmt.Errorf("make a serial number: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber:          number.Add(number, big.NewInt(1)),
		Subject:               pkix.Name{CommonName: commonName(names[0])},
		DNSNames:              names,
		NotBefore:             now.Add(-time.Hour).Truncate(time.Second), // for clients whose clock is slow
		NotAfter:              now.Add(selfSignedFor).Truncate(time.Second),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	return sign(template, key)
}

func sign(template *x509.Certificate, key crypto.Signer) (pemfiles.Material, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return pemfiles.Material{}, fmt.Errorf("sign a certificate: %w", err)
	}
	return pemfiles.NewMaterial(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), key)
}

// commonName is for people; what is longer than X.509 allows is in the list of names anyway.
func commonName(name string) string {
	if len(name) > 64 {
		return ""
	}
	return name
}
