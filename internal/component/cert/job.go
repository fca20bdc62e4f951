package cert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"gateway/internal/change"
	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/intent"
	"gateway/internal/setupstate"
)

// letsEncrypt is the authority when setup named no other.
const letsEncrypt = "https://acme-v02.api.letsencrypt.org/directory"

// actor is the scheduler in the audit log.
const actor = "scheduler"

// due is a certificate that is to be made, as it was when we looked.
type due struct {
	ID            string
	Names         []string
	Source        string
	Challenge     string
	DNSProviderID *string
	KeyType       string
	Chain         *string
	IssuedFrom    string
	RequestedAt   *time.Time
	Attempts      int
	Alerted       bool
	LastError     *string
	CheckAsked    bool
	Order         bool
}

// renewCycle is one cycle of renewals. That one was aborted is told, unless we are being stopped.
func (s *service) renewCycle(ctx context.Context) error {
	err := s.renewDue(ctx)
	if err != nil && ctx.Err() == nil && s.CycleFailed != nil {
		s.CycleFailed(ctx)
	}
	return err
}

// renewDue does what is due, one after the other: what was asked for, what is new or was
// changed, what has a third of its lifetime left or what its authority wants renewed.
func (s *service) renewDue(ctx context.Context) error {
	settings, err := s.acme()
	if err != nil {
		return err
	}
	// What is ordered now could not be stored, and the authority counts it all the same.
	if held, err := change.Held(ctx, s.DB, "cert"); err != nil || held {
		return err
	}
	all, err := s.listDue(ctx, settings.DirectoryURL)
	if err != nil {
		return err
	}
	var failed []error
	for _, c := range all {
		failed = append(failed, s.take(ctx, c, settings))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(failed...)
}

// acme is how certificates are ordered, with the usual authority where none is named.
func (s *service) acme() (setupstate.ACME, error) {
	state, err := s.Setup.Load()
	if err != nil {
		return setupstate.ACME{}, fmt.Errorf("read the authority's settings: %w", err)
	}
	if state.ACME.DirectoryURL == "" {
		state.ACME.DirectoryURL = letsEncrypt
	}
	return state.ACME, nil
}

func (s *service) listDue(ctx context.Context, directory string) ([]due, error) {
	all, err := db.List[due](ctx, s.DB, `select c.id::text, c.names, c.source, c.challenge, c.dns_provider_id::text, c.key_type, c.chain, c.issued_from,
			s.requested_at, coalesce(s.attempts, 0), coalesce(s.alerted, false), s.last_error, s.check_requested_at is not null, o.due
		from certificates c left join certificate_status s on s.certificate_id = c.id
		cross join lateral (select coalesce((s.next_attempt_at is null or s.next_attempt_at <= $2) and c.source <> 'upload' and (
			s.requested_at is not null or c.chain is null or not c.names <@ c.issued_names
			or c.issued_from <> case c.source when 'acme' then $1 else c.source end
			or least(coalesce(s.renew_at, 'infinity'), c.not_after - (c.not_after - c.not_before) / case when s.renew_at is null then 3 else 6 end) <= $2
			or s.last_error = 'not_served'), false) as due) o
		where o.due or s.check_requested_at is not null
		order by c.not_after nulls first, c.id`, directory, s.Now())
	if err != nil {
		return nil, fmt.Errorf("list what is due: %w", err)
	}
	return all, nil
}

// take brings one certificate forward, and keeps how that went.
func (s *service) take(ctx context.Context, c due, settings setupstate.ACME) error {
	if c.CheckAsked && !c.Order {
		_, err := s.examine(ctx, c, settings)
		return err
	}
	err := s.bring(ctx, c, settings)
	if ctx.Err() != nil {
		return ctx.Err() // we are being stopped, which says nothing about the certificate
	}
	if err == nil {
		return s.succeeded(ctx, c)
	}
	t := troubleOf(err)
	if t.code == internalTrouble && (db.Unavailable(err) || fault.Is(err, fault.Unavailable)) {
		return fmt.Errorf("renew %s: %w", c.Names[0], err) // nothing that the authority or the operator did
	}
	return s.failed(ctx, c, t)
}

// bring makes the new certificate and sees it served.
func (s *service) bring(ctx context.Context, c due, settings setupstate.ACME) error {
	if c.LastError != nil && *c.LastError == notServed && c.RequestedAt == nil && c.Chain != nil {
		return s.verify(ctx, c.Names, *c.Chain) // it was issued; only the proxy lagged behind
	}
	m, from, err := s.obtain(ctx, c, settings)
	if err != nil {
		return err
	}
	return s.put(ctx, c, m, from)
}

func (s *service) obtain(ctx context.Context, c due, settings setupstate.ACME) (pemfiles.Material, string, error) {
	if c.Source == fromSelf {
		m, err := selfSigned(c.Names, c.KeyType, s.Now())
		return m, fromSelf, err
	}
	findings, err := s.examine(ctx, c, settings)
	if err != nil {
		return pemfiles.Material{}, "", err
	}
	if err := refusal(findings); err != nil {
		return pemfiles.Material{}, "", err
	}
	m, err := s.order(ctx, c, settings, findings)
	if noted := s.noteOrder(ctx, c, settings.DirectoryURL, err); noted != nil {
		s.Log.Warn("note an order", "err", noted)
	}
	return m, settings.DirectoryURL, err
}

// put stores what was issued and waits until it is served. Where the operator wants
// something else by now, it is dropped.
func (s *service) put(ctx context.Context, c due, m pemfiles.Material, from string) error {
	values := s.columns(c.ID, m, from)
	detail := map[string]any{"serial": pemfiles.Serial(m.Leaf), "issuer": issuer(m.Leaf), "not_after": m.Leaf.NotAfter}
	ctx = intent.With(ctx, intent.Ask{})
	err := s.Run.Run(ctx, change.Change{Component: "cert", Action: "cert.certificate.issue", Subject: c.Names[0], Actor: actor, Detail: detail}, func(tx change.Tx) error {
		tag, err := tx.Exec(ctx, `update certificates set chain = $4, private_key = $5, issued_from = $6, issued_names = $7, issuer = $8, serial = $9,
				not_before = $10, not_after = $11, last_renewed_at = $12, revision = revision + 1, updated_at = $12
			where id = $1 and names = $2 and source = $3`, c.ID, c.Names, c.Source,
			values["chain"], values["private_key"], from, values["issued_names"], values["issuer"], values["serial"],
			values["not_before"], values["not_after"], values["last_renewed_at"])
		if err != nil {
			return fmt.Errorf("store the certificate for %s: %w", c.Names[0], err)
		}
		if tag.RowsAffected() == 0 {
			return change.Nothing()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if came := intent.Came(ctx); came.Apply == intent.Failed {
		return troubled(notServed, errors.New(came.Why.Message), "the new certificate is stored, but the proxy rejected it: %s", came.Why.Message)
	}
	return s.verify(ctx, c.Names, string(m.Chain))
}

// verify asks the proxy for each name, as a client would. Where nobody answers there is
// nothing to see: the applier has read back what HAProxy holds.
func (s *service) verify(ctx context.Context, names []string, chain string) error {
	certs, err := pemfiles.ParseChain([]byte(chain))
	if err != nil {
		return err
	}
	for _, n := range names {
		name := n
		if pemfiles.Wildcard(n) {
			name = "any." + apex(n)
		}
		if got := s.served(ctx, name); got != "" && !pemfiles.SameSerial(got, pemfiles.Serial(certs[0])) {
			return troubled(notServed, nil, "the proxy serves %s with certificate %s instead of the new one", name, got)
		}
	}
	return nil
}

func (s *service) succeeded(ctx context.Context, c due) error {
	_, err := s.DB.Exec(ctx, `insert into certificate_status (certificate_id) values ($1)
		on conflict (certificate_id) do update set attempts = 0, next_attempt_at = null, renew_at = null, renew_asked_at = null,
			last_error = null, last_error_message = null, remedy = null, alerted = false,
			requested_at = nullif(certificate_status.requested_at, $2)`, c.ID, c.RequestedAt)
	if err != nil {
		return fmt.Errorf("keep the status of %s: %w", c.Names[0], err)
	}
	return nil
}

// failed keeps why, tries again later, and tells it once. What was asked for stays asked
// for, unless it was issued and only is not served yet.
func (s *service) failed(ctx context.Context, c due, t *trouble) error {
	now := s.Now()
	next := now.Add(pause(t, c.Attempts))
	remedy := remedies[t.code]
	message := clean(t.message)
	tag, err := s.DB.Exec(ctx, `insert into certificate_status (certificate_id, attempts, next_attempt_at, last_error, last_error_message, remedy, alerted)
		select id, $2, $3, $4, $5, $6, true from certificates where id = $1
		on conflict (certificate_id) do update set attempts = $2, next_attempt_at = $3, last_error = $4, last_error_message = $5, remedy = $6, alerted = true,
			requested_at = case when $7 then nullif(certificate_status.requested_at, $8) else certificate_status.requested_at end`,
		c.ID, c.Attempts+1, next, t.code, message, remedy, t.code == notServed, c.RequestedAt)
	if err != nil {
		return fmt.Errorf("keep the status of %s: %w", c.Names[0], err)
	}
	s.Log.Info("certificate", "name", c.Names[0], "code", t.code, "attempt", c.Attempts+1, "next", next, "err", t)
	if tag.RowsAffected() > 0 && !c.Alerted {
		s.alert(ctx, Alert{Certificate: c.ID, Name: c.Names[0], Code: t.code, Message: message, Remedy: remedy})
	}
	return nil
}

// The pauses between attempts. An authority locks out those who hurry.
const (
	firstPause   = time.Minute
	longestPause = 12 * time.Hour
	limitedPause = time.Hour
)

// pause doubles with every attempt, and differs from node to node and name to name.
func pause(t *trouble, attempts int) time.Duration {
	switch t.code {
	case accountLost:
		if attempts == 0 {
			return 0 // it heals by itself, so it need not be waited for
		}
	case notServed:
		return firstPause
	}
	d := min(longestPause, firstPause<<min(attempts, 10))
	if t.code == rateLimited {
		d = max(d, limitedPause)
	}
	d += rand.N(d/5 + 1)
	return max(d, t.after)
}

// clean makes one line of what others say, short enough to read.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > 500 {
		s = string(runes[:500]) + "…"
	}
	return s
}

// examine makes the pre-flight checks, and keeps what they found.
func (s *service) examine(ctx context.Context, c due, settings setupstate.ACME) ([]Finding, error) {
	findings := s.diagnose(ctx, c, settings)
	text, err := json.Marshal(findings)
	if err != nil {
		return nil, fmt.Errorf("keep what was found about %s: %w", c.Names[0], err)
	}
	_, err = s.DB.Exec(ctx, `insert into certificate_status (certificate_id, checked_at, checks)
		select id, $2, $3::jsonb from certificates where id = $1
		on conflict (certificate_id) do update set checked_at = $2, checks = $3::jsonb, check_requested_at = null`, c.ID, s.Now(), string(text))
	if err != nil {
		return nil, fmt.Errorf("keep what was found about %s: %w", c.Names[0], err)
	}
	return findings, nil
}

func (s *service) noteOrder(ctx context.Context, c due, directory string, came error) error {
	var code *string
	if came != nil {
		code = &troubleOf(came).code
	}
	_, err := s.DB.Exec(ctx, `insert into acme_orders (id, directory_url, names, finished_at, code) values ($1, $2, $3, $4, $5)`,
		db.NewID(), directory, c.Names, s.Now(), code)
	return err
}
