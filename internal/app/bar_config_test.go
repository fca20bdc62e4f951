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
			if path == "/dns/records" {
				made["zone_id"] = s.zone(actor)
			}
			id := actor.Post(path, made).Want(http.StatusCreated).ID()
			if body == nil {
				return id, nil
			}
			if path == "/dns/records" {
				body["zone_id"] = made["zone_id"]
			}
			return id, body
		}
	}
	settings := func(path string) get {
		return func(s *stage, _ string, actor client) (string, any) {
			s.nothingWaits()
			var now fields
			actor.Get(path).Want(http.StatusOK).Data(&now)
			for _, f := range []string{"id", "revision", "created_at", "updated_at"} {
				delete(now, f)
			}
			return "", now
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
	zone := func() fields { return fields{"name": unique() + ".arpa", "forward_to": []string{}} }
	record := func() fields { return fields{"name": unique(), "type": "A", "value": "192.0.2.1"} }
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
		"POST /dns/flush-cache":                   fixed(nil),
		"POST /dns/zones":                         fixed(zone()),
		"PUT /dns/zones/{id}":                     on("/dns/zones", zone(), zone()),
		"DELETE /dns/zones/{id}":                  on("/dns/zones", zone(), nil),
		"POST /dns/records": func(s *stage, _ string, actor client) (string, any) {
			s.nothingWaits()
			r := record()
			r["zone_id"] = s.zone(actor)
			return "", r
		},
		"PUT /dns/records/{id}":       on("/dns/records", record(), record()),
		"DELETE /dns/records/{id}":    on("/dns/records", record(), nil),
		"PUT /dns/settings":           settings("/dns/settings"),
		"POST /ntp/force-sync":        fixed(nil),
		"POST /ntp/pools":             fixed(pool()),
		"PUT /ntp/pools/{id}":         on("/ntp/pools", pool(), pool()),
		"DELETE /ntp/pools/{id}":      on("/ntp/pools", pool(), nil),
		"PUT /ntp/settings":           settings("/ntp/settings"),
		"POST /system/render-configs": fixed(nil),
		"PUT /system/components/{id}": func(*stage, string, client) (string, any) { return "dns", fields{"keep_edits": true} },
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
