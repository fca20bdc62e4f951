package app_test

import (
	"context"
	"net/http"

	"gateway/internal/app/apptest"
	"gateway/internal/db"
)

// configured gets operations ready that change the configuration of daemons.
func configured() map[string]get {
	fixed := func(body any) get {
		return func(s *stage, _ string, _ client) (string, any) { s.nothingWaits(); return "", body }
	}
	on := func(path string, made, body fields) get {
		return func(s *stage, _ string, actor client) (string, any) {
			s.nothingWaits()
			id := actor.Post(path, made).Want(http.StatusCreated).ID()
			if body == nil {
				return id, nil
			}
			return id, body
		}
	}
	changed := func(confirm string) get {
		return func(s *stage, _ string, actor client) (string, any) {
			s.nothingWaits()
			asks := actor.Copy()
			if confirm != "" {
				asks.Header.Set("Gateway-Confirm-Within", confirm)
			}
			answer := asks.Post("/ntp/pools", fields{"kind": "server", "address": unique() + ".example.com"}).Want(http.StatusCreated)
			return answer.Header.Get("Gateway-Change"), nil
		}
	}
	pool := func() fields { return fields{"kind": "server", "address": unique() + ".example.com"} }
	certificate := func() fields { return fields{"source": "self_signed", "names": []string{unique() + ".example.com"}} }
	ordered := func() fields { return fields{"source": "acme", "names": []string{unique() + ".example.com"}} }
	provider := func() fields {
		return fields{"name": unique(), "kind": "rfc2136", "settings": fields{"server": "192.0.2.1", "key_name": "gateway", "key": "YQ=="}}
	}
	return map[string]get{
		"PUT /system/acme":                        fixed(fields{"email": unique() + "@example.com", "terms_agreed": true}),
		"POST /certificates/dns-providers":        fixed(provider()),
		"PUT /certificates/dns-providers/{id}":    on("/certificates/dns-providers", provider(), provider()),
		"DELETE /certificates/dns-providers/{id}": on("/certificates/dns-providers", provider(), nil),
		"POST /certificates":                      fixed(certificate()),
		"PUT /certificates/{id}":                  on("/certificates", certificate(), certificate()),
		"DELETE /certificates/{id}":               on("/certificates", certificate(), nil),
		"POST /certificates/{id}/renew":           on("/certificates", certificate(), nil),
		"POST /certificates/{id}/check":           on("/certificates", ordered(), nil),
		"POST /batch":                             fixed(fields{"operations": []fields{{"method": "POST", "path": "/ntp/pools", "body": pool()}}}),
		"POST /changes/{id}/confirm":              changed("3600"),
		"POST /changes/{id}/revert":               changed(""),
		"GET /changes/{id}":                       changed(""),
		"POST /system/render-configs":             fixed(nil),
		"PUT /system/components/{id}":             func(*stage, string, client) (string, any) { return "dns", fields{"keep_edits": true} },
	}
}

func unique() string { return "x" + db.NewID()[24:] }

// zone makes one for a record to be in.
func (s *stage) zone(actor *apptest.Client) string {
	s.t.Helper()
	return actor.Post("/dns/zones", fields{"name": unique() + ".arpa", "forward_to": []string{}}).Want(http.StatusCreated).ID()
}

// nothingWaits ends the wait of a change that nobody was allowed to confirm: it would keep others out.
func (s *stage) nothingWaits() {
	s.t.Helper()
	if _, err := s.Pool.Exec(context.Background(), `update changes set confirm_state = 'confirmed' where confirm_state = 'waiting'`); err != nil {
		s.t.Fatal(err)
	}
}
