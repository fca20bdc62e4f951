package cert

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
)

// The kinds of key that are made here.
const (
	ecdsaP256 = "ecdsa-p256"
	rsa2048   = "rsa-2048"
)

// newKey makes a private key.
func newKey(kind string) (crypto.Signer, error) {
	if kind == rsa2048 {
		return rsa.GenerateKey(rand.Reader, 2048)
	}
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

// issuer is who signed it, as people call them.
func issuer(c *x509.Certificate) string {
	switch {
	case len(c.Issuer.Organization) > 0 && c.Issuer.CommonName != "":
		return c.Issuer.Organization[0] + " " + c.Issuer.CommonName
	case c.Issuer.CommonName != "":
		return c.Issuer.CommonName
	}
	return c.Issuer.String()
}
