package pemfiles

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"

	"gateway/internal/fault"
)

// Material is what HAProxy needs of a certificate: the chain, own one first, and the key.
// Both are spelled by us, whoever brought them: HAProxy's payloads end at an empty line.
type Material struct {
	Chain []byte
	Key   []byte
	Leaf  *x509.Certificate
}

// PEM is the file that HAProxy reads.
func (m Material) PEM() []byte { return slices.Concat(m.Chain, m.Key) }

// NewMaterial puts a chain, as an authority or an operator gave it, and its key together.
func NewMaterial(chain []byte, key crypto.Signer) (Material, error) {
	certs, err := ParseChain(chain)
	if err != nil {
		return Material{}, err
	}
	if !matches(certs[0], key) {
		return Material{}, ErrKeyMismatch
	}
	spelled, err := EncodeKey(key)
	return Material{Chain: encodeChain(certs), Key: spelled, Leaf: certs[0]}, err
}

// ErrKeyMismatch says that a chain and a key are not of one certificate.
var ErrKeyMismatch = fault.Say("is not the key of this certificate")

var errOrder = fault.Say("must start with the leaf certificate, followed by its issuer, and so on")

// ParseChain reads certificates in PEM: the own one, then each that signed the one before it.
func ParseChain(text []byte) ([]*x509.Certificate, error) {
	var certs []*x509.Certificate
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return nil, fault.Say("must contain only certificates; the key belongs in private_key")
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fault.Say("has a certificate (number %d) that cannot be read", len(certs)+1)
		}
		certs = append(certs, c)
	}
	switch {
	case len(certs) == 0:
		return nil, fault.Say("must be a certificate in PEM: -----BEGIN CERTIFICATE-----")
	case len(bytes.TrimSpace(text)) > 0:
		return nil, fault.Say("has something other than a certificate after the last certificate")
	case len(certs) > 10:
		return nil, fault.Say("must not have more than 10 certificates")
	}
	for i, c := range certs[1:] {
		if certs[i].CheckSignatureFrom(c) != nil {
			return nil, errOrder
		}
	}
	return certs, weak(certs)
}

// weak refuses what OpenSSL refuses at its usual level of security, and with it HAProxy.
func weak(certs []*x509.Certificate) error {
	for _, c := range certs {
		switch c.SignatureAlgorithm {
		case x509.MD5WithRSA, x509.SHA1WithRSA, x509.ECDSAWithSHA1, x509.DSAWithSHA1, x509.DSAWithSHA256:
			if !bytes.Equal(c.RawIssuer, c.RawSubject) {
				return fault.Say("is signed with %s, which is no longer secure", c.SignatureAlgorithm)
			}
		}
	}
	return weakKey(certs[0].PublicKey)
}

func weakKey(key crypto.PublicKey) error {
	switch k := key.(type) {
	case *rsa.PublicKey:
		if k.N.BitLen() < 2048 || k.N.BitLen() > 8192 {
			return fault.Say("has an RSA key of %d bits; 2048 to 8192 are accepted", k.N.BitLen())
		}
	case *ecdsa.PublicKey:
		if k.Curve != elliptic.P256() && k.Curve != elliptic.P384() && k.Curve != elliptic.P521() {
			return fault.Say("has a key on a curve that is not accepted; use P-256")
		}
	default:
		return fault.Say("has a key that is neither RSA nor ECDSA")
	}
	return nil
}

// ParseKey reads a private key in PEM. Errors never quote it.
func ParseKey(text []byte) (crypto.Signer, error) {
	block, rest := pem.Decode(text)
	for block != nil && block.Type == "EC PARAMETERS" { // openssl ecparam writes them before the key
		block, rest = pem.Decode(rest)
	}
	if block == nil || len(bytes.TrimSpace(rest)) > 0 {
		return nil, fault.Say("must be one private key in PEM: -----BEGIN PRIVATE KEY-----")
	}
	if strings.Contains(block.Type, "ENCRYPTED") || block.Headers["Proc-Type"] != "" {
		return nil, fault.Say("must not be protected by a passphrase: openssl pkey -in key.pem -out plain.pem")
	}
	for _, parse := range []func([]byte) (any, error){
		x509.ParsePKCS8PrivateKey,
		func(b []byte) (any, error) { return x509.ParsePKCS1PrivateKey(b) },
		func(b []byte) (any, error) { return x509.ParseECPrivateKey(b) },
	} {
		if key, err := parse(block.Bytes); err == nil {
			signer, ok := key.(crypto.Signer)
			if !ok {
				break
			}
			return signer, weakKey(signer.Public())
		}
	}
	return nil, fault.Say("must be an RSA or ECDSA key in PEM")
}

func matches(c *x509.Certificate, key crypto.Signer) bool {
	public, ok := c.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
	return ok && public.Equal(key.Public())
}

func encodeChain(certs []*x509.Certificate) []byte {
	var b bytes.Buffer
	for _, c := range certs {
		_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}) // a buffer takes everything
	}
	return b.Bytes()
}

// EncodeKey spells a private key in the one form that is stored.
func EncodeKey(key crypto.Signer) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode private key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// covers reports whether the certificate is good for a name. One for a wildcard must name
// it: that of a single name below is not one for all of them.
func covers(c *x509.Certificate, name string) bool {
	if Wildcard(name) {
		return slices.ContainsFunc(c.DNSNames, func(n string) bool { return strings.EqualFold(n, name) })
	}
	return c.VerifyHostname(name) == nil
}

// Uncovered are the names that the certificate is not good for.
func Uncovered(c *x509.Certificate, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return covers(c, n) })
}

// Serial is the number of a certificate, hexadecimal.
func Serial(c *x509.Certificate) string { return hex.EncodeToString(c.SerialNumber.Bytes()) }
