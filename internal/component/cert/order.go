package cert

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"

	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/outbound"
	"gateway/internal/setupstate"
	"gateway/internal/version"
)

// orderTime is for an authority that takes its time, and for name servers that do.
const orderTime = 10 * time.Minute

// authority is the client of one, with what it said about when to come back.
type authority struct {
	*acme.Client
	waits *waits
}

// client speaks to the authority at a directory's address.
func (s *service) client(directory string) (*authority, error) {
	transport, err := s.outside.Transport()
	if err != nil {
		return nil, troubled(acmeUnreachable, err, "the certificate authority is not reachable: %s", err)
	}
	w := &waits{next: transport}
	return &authority{
		Client: &acme.Client{
			Directory:   directory,
			HTTPClient:  &http.Client{Transport: w, Timeout: 30 * time.Second, CheckRedirect: outbound.NoRedirects},
			UserAgent:   "gateway/" + version.Version,
			PollTimeout: orderTime,
		},
		waits: w,
	}, nil
}

// waits hears how long an authority that has had enough of us wants to be left alone.
type waits struct {
	next http.RoundTripper
	mu   sync.Mutex
	last time.Duration
}

func (w *waits) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(r)
	if err == nil && (resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable) {
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		w.mu.Lock()
		w.last = min(time.Duration(seconds)*time.Second, 14*24*time.Hour)
		w.mu.Unlock()
	}
	return resp, err
}

func (w *waits) said() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// refusal is why the authority is not even asked.
func refusal(findings []Finding) error {
	for _, f := range findings {
		if !f.OK && f.certain {
			return troubled(f.Code, nil, "%s", f.Message)
		}
	}
	return nil
}

// order gets a certificate from the authority.
func (s *service) order(ctx context.Context, c due, settings setupstate.ACME, findings []Finding) (pemfiles.Material, error) {
	ctx, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	client, err := s.client(settings.DirectoryURL)
	if err != nil {
		return pemfiles.Material{}, err
	}
	account, err := s.account(ctx, client, settings)
	if err != nil {
		return pemfiles.Material{}, err
	}
	solver, err := s.solver(ctx, c)
	if err != nil {
		return pemfiles.Material{}, err
	}
	m, err := s.obtainFrom(ctx, client, account, c, solver)
	if err != nil {
		// A solver's own trouble is closer to the cause than what the library makes of it.
		return pemfiles.Material{}, s.classify(ctx, settings, client, findings, errors.Join(solver.trouble(), err))
	}
	return m, nil
}

func (s *service) obtainFrom(ctx context.Context, client *authority, account acme.Account, c due, by solver) (pemfiles.Material, error) {
	key, err := newKey(c.KeyType)
	if err != nil {
		return pemfiles.Material{}, fmt.Errorf("make a private key: %w", err)
	}
	csr, err := acmez.NewCSR(key, c.Names)
	if err != nil {
		return pemfiles.Material{}, fmt.Errorf("make a request for a certificate: %w", err)
	}
	params, err := acmez.OrderParametersFromCSR(account, csr)
	if err != nil {
		return pemfiles.Material{}, fmt.Errorf("make an order: %w", err)
	}
	params.Replaces = c.replaces(client.Directory)
	buyer := acmez.Client{Client: client.Client, ChallengeSolvers: map[string]acmez.Solver{c.Challenge: by}}
	chains, err := buyer.ObtainCertificate(ctx, params)
	if err != nil && params.Replaces != nil && aboutTheOrder(err) {
		// An authority that does not know what it issued before takes the order without.
		params.Replaces = nil
		chains, err = buyer.ObtainCertificate(ctx, params)
	}
	if err != nil {
		return pemfiles.Material{}, err
	}
	if len(chains) == 0 {
		return pemfiles.Material{}, troubled(orderFailed, nil, "the certificate authority issued nothing")
	}
	m, err := pemfiles.NewMaterial(chains[0].ChainPEM, key)
	if errors.Is(err, pemfiles.ErrKeyMismatch) {
		return pemfiles.Material{}, troubled(keyMismatch, err, "the certificate authority issued a certificate for another key")
	}
	if err != nil {
		return pemfiles.Material{}, troubled(orderFailed, err, "the issued certificate cannot be used: it %s", err)
	}
	if missing := pemfiles.Uncovered(m.Leaf, c.Names); len(missing) > 0 {
		return pemfiles.Material{}, troubled(orderFailed, nil, "the issued certificate does not cover %s", missing[0])
	}
	return m, nil
}

// aboutTheOrder reports whether the authority refused an order for how it was made.
func aboutTheOrder(err error) bool {
	var problem acme.Problem
	if !errors.As(err, &problem) {
		return false
	}
	_, validating := problem.Resource.(acme.Authorization)
	return !validating && byProblem[problem.Type] == "" && problem.Type != acme.ProblemTypeUnauthorized
}

// replaces tells the authority which of its own certificates this is the successor of, so
// that its limits do not count it.
func (c due) replaces(directory string) *x509.Certificate {
	if c.Chain == nil || c.IssuedFrom != directory {
		return nil
	}
	certs, err := pemfiles.ParseChain([]byte(*c.Chain))
	if err != nil || len(certs[0].AuthorityKeyId) == 0 {
		return nil
	}
	return certs[0]
}
