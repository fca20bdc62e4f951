package cert

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/secret"
)

// authority signs certificates for uploads.
func issue(t testing.TB, notAfter time.Time, names ...string) (chain, key string) {
	t.Helper()
	m, err := selfSigned(names, ecdsaP256, notAfter.Add(-selfSignedFor))
	if err != nil {
		t.Fatal(err)
	}
	return string(m.Chain), string(m.Key)
}

// shows CERT-04, CERT-05
func TestASelfSignedCertificateIsThereAtOnce(t *testing.T) {
	r := newRig(t)
	c := r.make(object{"source": "self_signed", "names": []string{"Intern.Example.COM.", "*.intern.example.com"}})
	if want := []string{"intern.example.com", "*.intern.example.com"}; !slices.Equal(c.Names, want) {
		t.Errorf("names = %q, want %q", c.Names, want)
	}
	if c.Status != "valid" || c.ExpiresAt == nil || time.Until(*c.ExpiresAt) < 300*24*time.Hour || c.LastRenewedAt == nil || c.LastError != nil || c.Serial == "" {
		t.Errorf("answered %+v, want a valid one with an expiry", c)
	}
	first := c.Serial
	if c = r.put(c, object{"source": "self_signed", "names": c.Names}); c.Serial != first {
		t.Error("a certificate that nothing changed about was made anew")
	}
	if c = r.put(c, object{"source": "self_signed", "names": []string{"other.example.com"}}); c.Serial == first {
		t.Error("other names, and still the same certificate")
	}
	text := r.Do("GET", "/certificates", nil).Want(http.StatusOK).Text
	for _, hidden := range []string{"PRIVATE", "private_key", "BEGIN"} {
		if strings.Contains(text, hidden) {
			t.Errorf("the list shows %s: %s", hidden, text)
		}
	}
	if got := r.Actions(); !slices.Contains(got, "cert.certificate.create intern.example.com") {
		t.Errorf("audit = %q, want the creation by its name", got)
	}
}

func (r *rig) put(c Certificate, in object) Certificate {
	r.T.Helper()
	r.Do("PUT", "/certificates/"+c.ID, in).Want(http.StatusOK).Into(&c)
	return c
}

func TestAnUploadedCertificateTellsItsNames(t *testing.T) {
	r := newRig(t)
	chain, key := issue(t, time.Now().Add(90*24*time.Hour), "www.example.com", "example.com")
	c := r.make(object{"source": "upload", "certificate": chain, "private_key": key})
	if want := []string{"www.example.com", "example.com"}; !slices.Equal(c.Names, want) {
		t.Errorf("names = %q, want those of the certificate", c.Names)
	}
	c = r.put(c, object{"source": "upload", "names": []string{"example.com"}})
	if len(c.Names) != 1 || c.Serial == "" {
		t.Errorf("without a new upload the certificate is %+v", c)
	}
	if got := r.Do("PUT", "/certificates/"+c.ID, object{"source": "upload", "names": []string{"else.example.com"}}).Want(http.StatusBadRequest).Complaint("names"); got == "" {
		t.Error("a name that the stored certificate is not for was taken")
	}
	r.Do("POST", "/certificates/"+c.ID+"/renew", nil).Want(http.StatusConflict)
}

func TestWhatCannotBeServedIsRefused(t *testing.T) {
	r := newRig(t)
	later := time.Now().Add(90 * 24 * time.Hour)
	chain, key := issue(t, later, "www.example.com")
	other, otherKey := issue(t, later, "www.example.com")
	old, oldKey := issue(t, time.Now().Add(-time.Hour), "www.example.com")
	upload := func(chain, key string, names ...string) object {
		return object{"source": "upload", "certificate": chain, "private_key": key, "names": append([]string{}, names...)}
	}
	r.make(object{"source": "self_signed", "names": []string{"taken.example.com"}})
	for _, tc := range []struct {
		name, field string
		in          object
	}{
		{"a name with a space", "names[0]", object{"source": "acme", "names": []string{"a b.example.com"}}},
		{"a name that ends a line", "names[0]", object{"source": "acme", "names": []string{"a.example.com\nb"}}},
		{"a name of one part", "names[0]", object{"source": "self_signed", "names": []string{"localhost"}}},
		{"an address", "names[0]", object{"source": "self_signed", "names": []string{"192.0.2.1"}}},
		{"a name twice", "names[1]", object{"source": "acme", "names": []string{"a.example.com", "A.example.com"}}},
		{"no name", "names", object{"source": "acme", "names": []string{}}},
		{"a wildcard by http-01", "names[0]", object{"source": "acme", "names": []string{"*.example.com"}}},
		{"dns-01 without a provider", "dns_provider_id", object{"source": "acme", "challenge": "dns-01", "names": []string{"*.example.com"}}},
		{"a provider that is not there", "dns_provider_id", object{"source": "acme", "challenge": "dns-01", "names": []string{"*.example.com"}, "dns_provider_id": "x"}},
		{"an upload of nothing", "certificate", object{"source": "upload", "names": []string{"www.example.com"}}},
		{"the key of another", "private_key", upload(chain, otherKey)},
		{"a key in the chain", "certificate", upload(chain+key, key)},
		{"certificates that do not follow each other", "certificate", upload(chain+other, key)},
		{"text after the certificate", "certificate", upload(chain+"more", key)},
		{"no key", "private_key", upload(chain, "")},
		{"two keys", "private_key", upload(chain, key+otherKey)},
		{"one that ran out", "certificate", upload(old, oldKey)},
		{"a name that it is not for", "names", upload(chain, key, "example.com")},
		{"an upload that is none", "certificate", object{"source": "acme", "names": []string{"a.example.com"}, "certificate": chain, "private_key": key}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := r.Do("POST", "/certificates", tc.in).Want(http.StatusBadRequest)
			if a.Complaint(tc.field) == "" {
				t.Errorf("complaints = %+v, want one about %s", a.Error.Fields, tc.field)
			}
			if strings.Contains(a.Text, key[40:80]) {
				t.Errorf("the answer tells the key: %s", a.Text)
			}
		})
	}
	if a := r.Do("POST", "/certificates", object{"source": "acme", "names": []string{"b.example.com", "taken.example.com"}}).Want(http.StatusConflict); a.Complaint("names[1]") != "is taken" {
		t.Errorf("complaints = %+v, want that the second name is taken", a.Error.Fields)
	}
}

// shows CERT-07
func TestTheSummaryCountsByStatus(t *testing.T) {
	r := newRig(t)
	for name, left := range map[string]time.Duration{"a.example.com": 200 * 24 * time.Hour, "b.example.com": 10 * 24 * time.Hour, "c.example.com": time.Hour} {
		chain, key := issue(t, time.Now().Add(left), name)
		r.make(object{"source": "upload", "certificate": chain, "private_key": key})
	}
	waiting := r.make(object{"source": "acme", "names": []string{"d.example.com"}})
	if waiting.Status != "pending" {
		t.Errorf("status of a new one = %s, want pending", waiting.Status)
	}
	if _, err := r.Pool.Exec(t.Context(), `insert into certificate_status (certificate_id, last_error) values ($1, 'dns_mismatch')`, waiting.ID); err != nil {
		t.Fatal(err)
	}
	if got := r.get(waiting.ID).Status; got != "error" {
		t.Errorf("status after a failure = %s, want error", got)
	}
	r.expire("c.example.com")
	var s Summary
	r.Do("GET", "/certificates/summary", nil).Want(http.StatusOK).Into(&s)
	if want := (Summary{Total: 4, Expiring: 1, Expired: 1, Errors: 1}); s != want {
		t.Errorf("summary = %+v, want %+v", s, want)
	}
}

// expire moves the end of a stored certificate into the past.
func (r *rig) expire(name string) {
	r.T.Helper()
	ctx := r.T.Context()
	tx, err := r.Pool.Begin(ctx)
	if err != nil {
		r.T.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	for _, q := range []string{
		`insert into changes (id, component, action, subject, actor, created_at) values ('00000000-0000-7000-8000-0000000000ff', 'cert', 'test', '', 'test', now())`,
		`select set_config('gateway.change_id', '00000000-0000-7000-8000-0000000000ff', true)`,
		`update certificates set not_after = now() - interval '1 hour' where names[1] = '` + name + `'`,
	} {
		if _, err := tx.Exec(ctx, q); err != nil {
			r.T.Fatal(err)
		}
	}
	if err := tx.Commit(ctx); err != nil {
		r.T.Fatal(err)
	}
}

func TestKeysAreSealedForTheirRow(t *testing.T) {
	r := newRig(t)
	c := r.make(object{"source": "self_signed", "names": []string{"a.example.com"}})
	var sealed []byte
	if err := r.Pool.QueryRow(t.Context(), `select private_key from certificates where id = $1`, c.ID).Scan(&sealed); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(sealed), "PRIVATE") {
		t.Error("the key is stored as it is")
	}
	key, err := r.Box.Open(sealed, secret.Place{Table: "certificates", Column: "private_key", Row: c.ID})
	if err != nil || !strings.Contains(string(key), "PRIVATE KEY") {
		t.Errorf("opened = %.20q, %v, want the key", key, err)
	}
	var images string
	if err := r.Pool.QueryRow(t.Context(), `select string_agg(new_row::text, '') from change_rows`).Scan(&images); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(images, "private_key") || strings.Contains(images, "BEGIN") {
		t.Errorf("the history keeps what was issued: %s", images)
	}
}

func TestTheChainIsReadWithoutItsKey(t *testing.T) {
	r := newRig(t)
	c := r.make(object{"source": "self_signed", "names": []string{"intern.example.com"}})
	answer := r.Do("GET", "/certificate-chains/"+c.ID, nil).Want(http.StatusOK)
	var chain Chain
	answer.Into(&chain)
	if len(chain.Certificates) != 1 || !strings.HasPrefix(chain.PEM, "-----BEGIN CERTIFICATE-----") {
		t.Fatalf("answered %+v, want one certificate in PEM", chain)
	}
	own := chain.Certificates[0]
	if own.Key != "ECDSA P-256" || len(own.SHA256) != 64 || !slices.Equal(own.Names, c.Names) || !own.NotAfter.Equal(*c.ExpiresAt) {
		t.Errorf("answered %+v, want key, fingerprint, names and end of %+v", own, c)
	}
	if strings.Contains(answer.Text, "PRIVATE") {
		t.Error("the answer has the private key")
	}
	pending := r.make(object{"source": "acme", "names": []string{"soon.example.com"}})
	r.Do("GET", "/certificate-chains/"+pending.ID, nil).Want(http.StatusNotFound)
}
