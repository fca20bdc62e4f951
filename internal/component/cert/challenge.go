package cert

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5"

	"gateway/internal/fault"
)

// tokenForm is what an authority's tokens are made of. Anything else costs no query.
var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{16,128}$`)

// keyAuthorization answers an authority that looks whether a name is ours.
func (p *part) keyAuthorization(ctx context.Context, token string) (string, error) {
	unknown := fault.New(fault.NotFound, "there is no such challenge")
	if !tokenForm.MatchString(token) {
		return "", unknown
	}
	var text string
	err := p.DB.QueryRow(ctx, `select key_authorization from acme_challenges where token = $1 and expires_at > $2`, token, p.Now()).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", unknown
	}
	if err != nil {
		return "", fmt.Errorf("read a challenge: %w", err)
	}
	return text, nil
}
