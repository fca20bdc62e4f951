package cert

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Summary counts certificates.
type Summary struct {
	Total    int `json:"total" doc:"All certificates"`
	Expiring int `json:"expiring" doc:"Expiring soon"`
	Expired  int `json:"expired" doc:"Past their expiry date"`
	Errors   int `json:"errors" doc:"Last attempt failed, expired or not"`
}

// Asked is the answer to a request that gateway-scheduler takes up within seconds.
type Asked struct {
	RequestedAt time.Time `json:"requested_at" doc:"When the request was recorded; the work follows within seconds"`
}

func (s *service) actionRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "summarise-certificates", Method: http.MethodGet, Path: "/certificates/summary", Access: api.Viewer,
		Summary:     "Count certificates by state",
		Description: "For a dashboard: all, expiring soon, expired, and those whose last attempt failed.",
	}, s.summary)
	api.Handle(r, api.Op{
		ID: "renew-certificate", Method: http.MethodPost, Path: "/certificates/{id}/renew", Status: http.StatusAccepted,
		Summary:     "Renew a certificate now",
		Description: "The scheduler starts it within seconds and clears earlier failures; the old certificate is served until the new one is issued.",
	}, s.askRenewal)
	api.Handle(r, api.Op{
		ID: "check-certificate", Method: http.MethodPost, Path: "/certificates/{id}/check", Status: http.StatusAccepted,
		Summary:     "Run the pre-flight checks of a certificate",
		Description: "Checks the names' addresses, CAA records, port 80 and the certificate authority, and orders nothing. The results are in the certificate's checks a few seconds later.",
	}, s.askCheck)
	api.WellKnown(r, "acme-challenge", s.keyAuthorization)
	s.chainRoutes(r)
}

func (s *service) summary(ctx context.Context, _ *struct{}) (*api.Body[Summary], error) {
	var counts Summary
	err := s.DB.QueryRow(ctx, `select count(id), count(id) filter (where status = 'expiring'), count(id) filter (where status = 'expired'),
		count(id) filter (where last_error is not null)
		from (select id, `+statusOf+` as status, `+ofStatus("last_error")+` as last_error from certificates) c`).
		Scan(&counts.Total, &counts.Expiring, &counts.Expired, &counts.Errors)
	if err != nil {
		return nil, fmt.Errorf("count certificates: %w", err)
	}
	return api.OK(counts), nil
}

func (s *service) askRenewal(ctx context.Context, in *resource.One) (*api.Body[Asked], error) {
	return s.ask(ctx, in.ID, "renew", func(source string) error {
		if source == fromUpload {
			return fault.New(fault.Conflict, "this certificate was uploaded; upload a new one instead").WithCode("not_renewable")
		}
		return nil
	}, `insert into certificate_status (certificate_id, requested_at) values ($1, $2)
		on conflict (certificate_id) do update set requested_at = $2, next_attempt_at = null, attempts = 0`)
}

func (s *service) askCheck(ctx context.Context, in *resource.One) (*api.Body[Asked], error) {
	return s.ask(ctx, in.ID, "check", func(source string) error {
		if source != fromACME {
			return fault.New(fault.Conflict, "only ACME certificates are checked").WithCode("not_checkable")
		}
		return nil
	}, `insert into certificate_status (certificate_id, check_requested_at) values ($1, $2)
		on conflict (certificate_id) do update set check_requested_at = $2`)
}

// ask leaves word for the scheduler, who alone speaks to the outside.
func (s *service) ask(ctx context.Context, id, verb string, may func(source string) error, statement string) (*api.Body[Asked], error) {
	name, source, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := may(source); err != nil {
		return nil, err
	}
	now := s.Now()
	c := change.Change{Component: "cert", Action: "cert.certificate." + verb, Subject: name}
	err = s.Run.Run(ctx, c, func(tx change.Tx) error {
		if _, err := tx.Exec(ctx, statement, id, now); err != nil {
			return db.Fault(fmt.Errorf("ask to %s %s: %w", verb, name, err), "certificate", nil)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return api.OK(Asked{now}), nil
}

// find reads who a certificate is.
func (s *service) find(ctx context.Context, id string) (name, source string, err error) {
	if !db.ValidID(id) {
		return "", "", db.Fault(pgx.ErrNoRows, "certificate", nil)
	}
	err = s.DB.QueryRow(ctx, `select names[1], source from certificates where id = $1`, id).Scan(&name, &source)
	if err != nil {
		err = db.Fault(fmt.Errorf("read certificate %s: %w", id, err), "certificate", nil)
	}
	return name, source, err
}
