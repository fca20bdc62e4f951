package cert

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Chain is what clients are sent: the certificate, and those that signed it. The key is nobody's business.
type Chain struct {
	PEM          string `json:"pem" doc:"The chain in PEM, the own certificate first; without the private key"`
	Certificates []Link `json:"certificates" doc:"The certificates of the chain, the own one first"`
}

// Link is one certificate of a chain.
type Link struct {
	Subject   string    `json:"subject" doc:"Distinguished name of the holder"`
	Issuer    string    `json:"issuer" doc:"Distinguished name of the signer"`
	Serial    string    `json:"serial" doc:"Hexadecimal"`
	Names     []string  `json:"names" doc:"DNS names (subjectAltName)"`
	NotBefore time.Time `json:"not_before" doc:"Start of its validity"`
	NotAfter  time.Time `json:"not_after" doc:"End of its validity"`
	Key       string    `json:"key" doc:"Kind and size of the public key" example:"ECDSA P-256"`
	Signature string    `json:"signature" doc:"Algorithm of the signature" example:"ECDSA-SHA256"`
	SHA256    string    `json:"sha256" doc:"Fingerprint of the certificate, hexadecimal"`
}

func (s *service) chainRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "get-certificate-chain", Method: http.MethodGet, Path: "/certificate-chains/{id}", Access: api.Viewer,
		Summary:     "Read the chain of a certificate",
		Description: "What clients are sent, in PEM and in words. The private key cannot be read. 404 while none is issued yet.",
	}, s.chain)
}

func (s *service) chain(ctx context.Context, in *resource.One) (*api.Body[Chain], error) {
	if _, _, err := s.find(ctx, in.ID); err != nil {
		return nil, err
	}
	var stored *string
	if err := s.DB.QueryRow(ctx, `select chain from certificates where id = $1`, in.ID).Scan(&stored); err != nil {
		return nil, db.Fault(fmt.Errorf("read the chain of %s: %w", in.ID, err), "certificate", nil)
	}
	if stored == nil {
		return nil, fault.New(fault.NotFound, "no certificate is issued yet").WithCode("not_issued")
	}
	certs, err := pemfiles.ParseChain([]byte(*stored))
	if err != nil {
		return nil, fmt.Errorf("read the chain of %s: %w", in.ID, err)
	}
	c := Chain{PEM: *stored}
	for _, one := range certs {
		c.Certificates = append(c.Certificates, linkOf(one))
	}
	return api.OK(c), nil
}

func linkOf(c *x509.Certificate) Link {
	sum := sha256.Sum256(c.Raw)
	l := Link{
		Subject: c.Subject.String(), Issuer: c.Issuer.String(), Serial: c.SerialNumber.Text(16), Names: c.DNSNames,
		NotBefore: c.NotBefore.UTC(), NotAfter: c.NotAfter.UTC(),
		Key: keyWords(c.PublicKey), Signature: c.SignatureAlgorithm.String(), SHA256: hex.EncodeToString(sum[:]),
	}
	if l.Names == nil {
		l.Names = []string{}
	}
	return l
}

// keyWords is what people call a key.
func keyWords(public any) string {
	switch k := public.(type) {
	case *ecdsa.PublicKey:
		return "ECDSA " + k.Curve.Params().Name
	case *rsa.PublicKey:
		return fmt.Sprintf("RSA %d", k.N.BitLen())
	case ed25519.PublicKey:
		return "Ed25519"
	default:
		return fmt.Sprintf("%T", public)
	}
}
