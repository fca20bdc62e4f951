package cert

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"
)

// challengeTime is how long an authority may take to look.
const challengeTime = time.Hour

// solver proves that names are ours. Its own trouble, if it had any, says why it could not.
type solver interface {
	acmez.Solver
	trouble() error
}

func (s *service) solver(ctx context.Context, c due) (solver, error) {
	if c.Challenge == dns01 {
		return s.dnsSolver(ctx, c)
	}
	return &httpSolver{s}, nil
}

// httpSolver leaves the answers where gateway-api finds them, behind the proxy's port 80.
type httpSolver struct{ service *service }

// Present stores the answer to one challenge.
func (s *httpSolver) Present(ctx context.Context, c acme.Challenge) error {
	return s.service.present(ctx, c.Token, c.KeyAuthorization)
}

func (s *service) present(ctx context.Context, token, text string) error {
	var b pgx.Batch
	b.Queue(`insert into acme_challenges (token, key_authorization, expires_at) values ($1, $2, $3)
		on conflict (token) do update set key_authorization = $2, expires_at = $3`, token, text, s.Now().Add(challengeTime))
	b.Queue(`select pg_notify($1, '')`, challengeChannel)
	if err := s.DB.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("store a challenge: %w", err)
	}
	return nil
}

// CleanUp removes it.
func (s *httpSolver) CleanUp(ctx context.Context, c acme.Challenge) error {
	return s.service.withdraw(ctx, c.Token)
}

func (s *service) withdraw(ctx context.Context, token string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	var b pgx.Batch
	b.Queue(`delete from acme_challenges where token = $1`, token)
	b.Queue(`select pg_notify($1, '')`, challengeChannel)
	if err := s.DB.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("forget a challenge: %w", err)
	}
	return nil
}

func (s *httpSolver) trouble() error { return nil }
