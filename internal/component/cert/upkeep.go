package cert

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/db"
)

const (
	askEvery   = 6 * time.Hour       // an authority when to renew
	keepOrders = 90 * 24 * time.Hour // longer than any limit looks back
)

// upkeep forgets what is over, and asks authorities when they want to be asked again.
func (s *service) upkeep(ctx context.Context) error {
	var b pgx.Batch
	b.Queue(`delete from acme_challenges where expires_at < $1`, s.Now())
	b.Queue(`delete from acme_orders where finished_at < $1`, s.Now().Add(-keepOrders))
	if err := s.DB.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("forget what is over: %w", err)
	}
	return s.askWhen(ctx)
}

type asking struct {
	ID    string
	Name  string
	Chain string
}

// askWhen asks for the renewal information (ARI) of every certificate, which moves a
// renewal forward when an authority is about to revoke what it issued.
func (s *service) askWhen(ctx context.Context) error {
	settings, err := s.acme()
	if err != nil {
		return err
	}
	all, err := db.List[asking](ctx, s.DB, `select c.id::text, c.names[1], c.chain
		from certificates c left join certificate_status s on s.certificate_id = c.id
		where c.source = 'acme' and c.issued_from = $1 and (s.renew_asked_at is null or s.renew_asked_at < $2)`,
		settings.DirectoryURL, s.Now().Add(-askEvery))
	if err != nil || len(all) == 0 {
		return err
	}
	client, err := s.client(settings.DirectoryURL)
	if err != nil {
		return err
	}
	var failed []error
	for _, c := range all {
		failed = append(failed, s.askOne(ctx, client, c))
	}
	return errors.Join(failed...)
}

// askOne keeps the moment that the authority suggests; one that has no such service is
// not asked again for a while either.
func (s *service) askOne(ctx context.Context, client *authority, c asking) error {
	certs, err := pemfiles.ParseChain([]byte(c.Chain))
	if err != nil {
		return fmt.Errorf("read the certificate for %s: %w", c.Name, err)
	}
	var at *time.Time
	info, err := client.GetRenewalInfo(ctx, certs[0])
	switch {
	case err == nil && info.HasWindow():
		at = &info.SelectedTime
	case ctx.Err() != nil:
		return ctx.Err()
	}
	_, err = s.DB.Exec(ctx, `insert into certificate_status (certificate_id, renew_at, renew_asked_at)
		select id, $2, $3 from certificates where id = $1
		on conflict (certificate_id) do update set renew_at = $2, renew_asked_at = $3`, c.ID, at, s.Now())
	if err != nil {
		return fmt.Errorf("keep when to renew %s: %w", c.Name, err)
	}
	return nil
}
