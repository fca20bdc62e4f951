package cert

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/secret"
)

// The sources of a certificate.
const (
	fromACME   = "acme"
	fromUpload = "upload"
	fromSelf   = "self_signed"
)

// The ways to show an authority that a name is ours.
const (
	http01 = "http-01"
	dns01  = "dns-01"
)

// Certificate is one as the API answers it.
type Certificate struct {
	resource.Meta
	Names         []string   `json:"names" db:"names"`
	Source        string     `json:"source" db:"source" enum:"acme,upload,self_signed"`
	Challenge     string     `json:"challenge" db:"challenge" enum:"http-01,dns-01"`
	DNSProviderID *string    `json:"dns_provider_id" db:"dns_provider_id"`
	KeyType       string     `json:"key_type" db:"key_type" enum:"ecdsa-p256,rsa-2048"`
	Status        string     `json:"status" db:"status" enum:"pending,valid,expiring,expired,error" doc:"error: the last attempt to issue or renew it failed; the previous certificate is still served"`
	ExpiresAt     *time.Time `json:"expires_at" db:"not_after" doc:"Null while none is issued yet"`
	NotBefore     *time.Time `json:"not_before" db:"not_before" doc:"Start of its validity; null while none is issued yet"`
	Issuer        string     `json:"issuer" db:"issuer" doc:"Organization and common name of the certificate authority that signed it; empty while none is issued yet"`
	Serial        string     `json:"serial" db:"serial" doc:"Hexadecimal"`
	LastRenewedAt *time.Time `json:"last_renewed_at" db:"last_renewed_at" doc:"When it was last issued, created or uploaded"`
	LastError     *string    `json:"last_error" db:"last_error" doc:"Error code of the last attempt; null if it succeeded" example:"dns_mismatch"`
	LastErrorText *string    `json:"last_error_message" db:"last_error_message" doc:"What went wrong in the last attempt, in words; null if it succeeded"`
	Remedy        *string    `json:"remedy" db:"remedy" doc:"How to fix it"`
	NextAttemptAt *time.Time `json:"next_attempt_at" db:"next_attempt_at" doc:"After a failure: the earliest next attempt"`
	Checks        []Finding  `json:"checks" db:"checks" doc:"Results of the last pre-flight checks"`
	CheckedAt     *time.Time `json:"checked_at" db:"checked_at" doc:"When the pre-flight checks last ran; null if never"`
}

// ofStatus is a column of the status beside a certificate.
func ofStatus(column string) string {
	return "(select s." + column + " from certificate_status s where s.certificate_id = certificates.id)"
}

// statusOf words what the other columns say. It warns two weeks ahead, or for short-lived
// ones when a quarter of the lifetime is left: by then the renewal has failed for a while.
var statusOf = `case when not_after <= now() then 'expired'
	when ` + ofStatus("last_error") + ` is not null then 'error'
	when chain is null then 'pending'
	when ` + expiresSoon + ` then 'expiring'
	else 'valid' end`

const expiresSoon = `not_after - now() < least(interval '14 days', (not_after - not_before) / 4)`

// Input is what create and update take.
type Input struct {
	Names         []string    `json:"names" db:"names" maxItems:"100" required:"false" nullable:"false" doc:"The names it covers, the main one first; for an upload, default all names in the certificate" example:"[\"www.example.com\"]"`
	Source        string      `json:"source" db:"source" enum:"acme,upload,self_signed" doc:"acme: issued and renewed automatically by a certificate authority; upload: your own; self_signed: for internal use"`
	Challenge     string      `json:"challenge,omitempty" db:"challenge" enum:"http-01,dns-01" default:"http-01" doc:"ACME challenge; a wildcard requires dns-01"`
	DNSProviderID *string     `json:"dns_provider_id,omitempty" db:"dns_provider_id" maxLength:"36" doc:"DNS provider for dns-01"`
	KeyType       string      `json:"key_type,omitempty" db:"key_type" enum:"ecdsa-p256,rsa-2048" default:"ecdsa-p256" doc:"Type of the generated key; not used for upload"`
	Certificate   string      `json:"certificate,omitempty" db:"-" maxLength:"65536" doc:"For upload: PEM, the own certificate first, then those that signed it; on update it stays when left out"`
	PrivateKey    secret.Text `json:"private_key,omitempty" db:"-" maxLength:"16384" doc:"For upload: its key, PEM"`

	uploaded *pemfiles.Material
}

func (s *service) certificates() resource.Resource[Certificate, Input] {
	return resource.Resource[Certificate, Input]{
		Component: "cert", Noun: "certificate", Path: "/certificates", Table: "certificates", Access: api.Viewer,
		Search: []string{"names", "issuer", "serial"}, Sort: []string{"names", "not_after", "source", "created_at", "updated_at"},
		Filter: []string{"source", "dns_provider_id"},
		Computed: map[string]string{
			"status": statusOf, "last_error": ofStatus("last_error"), "last_error_message": ofStatus("last_error_message"),
			"remedy": ofStatus("remedy"), "next_attempt_at": ofStatus("next_attempt_at"), "checked_at": ofStatus("checked_at"),
			"checks": "coalesce(" + ofStatus("checks") + ", '[]')",
		},
		Name:     func(c Certificate) string { return c.Names[0] },
		Prepare:  s.prepare,
		Validate: s.validate,
		Derive:   s.derive,
		After:    s.after,
	}
}

// prepare reads what was uploaded, before anything is locked.
func (s *service) prepare(_ context.Context, _ bool, in *Input) error {
	var problems fault.Problems
	if in.Challenge == "" {
		in.Challenge = http01
	}
	if in.KeyType == "" {
		in.KeyType = ecdsaP256
	}
	in.Names = parseNames(&problems, in.Names)
	given := in.Certificate != "" || in.PrivateKey != ""
	switch {
	case given && in.Source != fromUpload:
		problems.Add("certificate", "is allowed only for the source upload")
	case given:
		s.readUpload(&problems, in)
	case in.Source != fromUpload && len(in.Names) == 0:
		problems.Add("names", "must have at least one entry")
	}
	return problems.Err()
}

func (s *service) readUpload(problems *fault.Problems, in *Input) {
	certs, err := pemfiles.ParseChain([]byte(in.Certificate))
	if err != nil {
		problems.AddError("certificate", err)
	}
	key, errKey := pemfiles.ParseKey([]byte(in.PrivateKey.Reveal()))
	if errKey != nil {
		problems.AddError("private_key", errKey)
	}
	if err != nil || errKey != nil {
		return
	}
	leaf := certs[0]
	if leaf.NotAfter.Before(s.Now()) {
		problems.Add("certificate", "expired on %s", leaf.NotAfter.UTC().Format(time.DateOnly))
	}
	made, err := pemfiles.NewMaterial([]byte(in.Certificate), key)
	if err != nil {
		problems.AddError("private_key", err)
		return
	}
	if len(in.Names) == 0 {
		in.Names = ownNames(made)
	}
	if len(in.Names) == 0 {
		problems.Add("certificate", "has no usable name (subjectAltName)")
	}
	in.uploaded = &made
}

// ownNames are those that an uploaded certificate is for, as far as they are names.
func ownNames(m pemfiles.Material) []string {
	var none fault.Problems
	return parseNames(&none, m.Leaf.DNSNames)
}

func (s *service) validate(ctx context.Context, tx db.DB, old *Certificate, in *Input) error {
	var problems fault.Problems
	if len(in.Names) == 0 && old != nil {
		in.Names = old.Names
	}
	if err := checkSource(ctx, tx, &problems, old, in); err != nil {
		return err
	}
	if in.Source == fromACME && in.Challenge == http01 {
		for i, n := range in.Names {
			if pemfiles.Wildcard(n) {
				problems.Add(fmt.Sprintf("names[%d]", i), "is a wildcard, which requires the challenge dns-01")
			}
		}
	}
	if err := checkProvider(ctx, tx, &problems, in); err != nil {
		return err
	}
	if err := problems.Err(); err != nil {
		return err
	}
	return refuseTaken(ctx, tx, old, in.Names)
}

// checkSource sees that an upload is there, and is for the names.
func checkSource(ctx context.Context, tx db.DB, problems *fault.Problems, old *Certificate, in *Input) error {
	if in.Source != fromUpload {
		return nil
	}
	var missing []string
	switch {
	case in.uploaded != nil:
		missing = pemfiles.Uncovered(in.uploaded.Leaf, in.Names)
	case old == nil || old.Source != fromUpload:
		problems.Add("certificate", "is required, together with private_key")
		return nil
	default:
		var stored []string
		if err := tx.QueryRow(ctx, `select issued_names from certificates where id = $1`, old.ID).Scan(&stored); err != nil {
			return fmt.Errorf("read the names of %s: %w", old.ID, err)
		}
		missing = slices.DeleteFunc(slices.Clone(in.Names), func(n string) bool { return pemfiles.Among(stored, n) })
	}
	if len(missing) > 0 {
		problems.Add("names", "has names that the certificate does not cover: %s", strings.Join(missing, ", "))
	}
	return nil
}

func checkProvider(ctx context.Context, tx db.DB, problems *fault.Problems, in *Input) error {
	switch {
	case in.Source != fromACME || in.Challenge != dns01:
		if in.DNSProviderID != nil {
			problems.Add("dns_provider_id", "is allowed only with the source acme and the challenge dns-01")
		}
		return nil
	case in.DNSProviderID == nil:
		problems.Add("dns_provider_id", "is required for the challenge dns-01")
		return nil
	}
	var known bool
	if db.ValidID(*in.DNSProviderID) {
		if err := tx.QueryRow(ctx, `select exists (select from dns_providers where id = $1)`, *in.DNSProviderID).Scan(&known); err != nil {
			return fmt.Errorf("look for the provider %s: %w", *in.DNSProviderID, err)
		}
	}
	if !known {
		problems.Add("dns_provider_id", "is not the id of a provider")
	}
	return nil
}

// refuseTaken keeps two certificates from being for one name: which one a client got
// would be by chance.
func refuseTaken(ctx context.Context, tx db.DB, old *Certificate, names []string) error {
	self := ""
	if old != nil {
		self = old.ID
	}
	rows, err := tx.Query(ctx, `select n from certificates, unnest(names) n where names && $1 and n = any($1) and id::text <> $2 order by n`, names, self)
	if err != nil {
		return fmt.Errorf("look for other certificates: %w", err)
	}
	taken, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for other certificates: %w", err)
	}
	if len(taken) == 0 {
		return nil
	}
	f := fault.New(fault.Conflict, "another certificate already covers %s; change its source instead, or remove the name from it first", taken[0])
	f.Fields = []fault.Field{{Name: fmt.Sprintf("names[%d]", slices.Index(names, taken[0])), Sentence: fault.Said("is taken")}}
	return f
}

// derive makes what is served at once; what an authority issues comes later, and the old
// one is served until then.
func (s *service) derive(_ context.Context, id string, old *Certificate, in *Input) (map[string]any, error) {
	switch {
	case in.uploaded != nil:
		return s.columns(id, *in.uploaded, fromUpload), nil
	case in.Source != fromSelf:
		return nil, nil
	case old != nil && old.Source == fromSelf && slices.Equal(old.Names, in.Names) && old.KeyType == in.KeyType:
		return nil, nil
	}
	made, err := selfSigned(in.Names, in.KeyType, s.Now())
	if err != nil {
		return nil, err
	}
	return s.columns(id, made, fromSelf), nil
}

// columns are what was issued, as stored.
func (s *service) columns(id string, m pemfiles.Material, from string) map[string]any {
	return map[string]any{
		"chain": string(m.Chain), "private_key": s.Box.Seal(m.Key, pemfiles.KeyPlace(id)), "issued_from": from, "issued_names": ownNames(m),
		"issuer": issuer(m.Leaf), "serial": pemfiles.Serial(m.Leaf), "not_before": m.Leaf.NotBefore, "not_after": m.Leaf.NotAfter,
		"last_renewed_at": s.Now(),
	}
}

// after forgets how it went before: what is wanted now is something else.
func (s *service) after(ctx context.Context, tx change.Tx, old, now *Certificate, _ *Input) error {
	if old == nil || now == nil {
		return nil
	}
	var b pgx.Batch
	b.Queue(`delete from certificate_status where certificate_id = $1`, now.ID)
	if now.Source == fromACME && old.KeyType != now.KeyType {
		b.Queue(`insert into certificate_status (certificate_id, requested_at) values ($1, $2)`, now.ID, s.Now())
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("forget the status of %s: %w", now.ID, err)
	}
	return nil
}
