package alert

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

const signingKey = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"

func letters(more ...body) body {
	settings := body{"smtp_host": "mail.example.com", "smtp_port": 587, "username": "gw", "password": "pass word", "from": "gw@example.com", "use_tls": true}
	for _, m := range more {
		for k, v := range m {
			settings[k] = v
		}
	}
	return body{"kind": "email", "target": "ops@example.com", "settings": settings}
}

// shows ALERT-01, ALERT-03
func TestAChannelIsMadeReadChangedAndDeleted(t *testing.T) {
	r := newRig(t)
	made := r.channel(letters())
	if made.Name != "ops@example.com" || !made.Active || made.MinSeverity != "warning" {
		t.Errorf("made %+v, want it active, with the name of its target", made)
	}
	set := made.Settings
	if set.SMTPHost != "mail.example.com" || set.SMTPPort != 587 || set.Username != "gw" || set.Password != masked || set.From != "gw@example.com" || !set.UseTLS {
		t.Errorf("settings = %+v, want them as they were sent, with the password masked", set)
	}
	path := "/alerts/" + made.ID
	change := letters(body{"password": masked})
	change["active"], change["target"] = false, "ops@example.com,  boss@example.com"
	var now Channel
	r.Do("PUT", path, change).Want(http.StatusOK).Into(&now)
	if now.Active || now.Target != "ops@example.com, boss@example.com" || now.Settings.Password != masked {
		t.Errorf("changed to %+v", now)
	}
	var sealed []byte
	if err := r.Pool.QueryRow(t.Context(), `select secrets from alert_channels where id = $1`, made.ID).Scan(&sealed); err != nil {
		t.Fatal(err)
	}
	secrets, err := r.a.open(made.ID, sealed)
	if err != nil || secrets["password"] != "pass word" {
		t.Errorf("the password is %q (%v) after a change of something else, want it kept", secrets["password"], err)
	}
	if text := r.Do("GET", "/alerts", nil).Want(http.StatusOK).Text; strings.Contains(text, "pass word") {
		t.Errorf("the password is answered: %s", text)
	}
	r.Do("DELETE", path, nil).Want(http.StatusOK)
	r.Do("GET", path, nil).Want(http.StatusNotFound)
}

// shows ALERT-02
func TestWhatAChannelMayBe(t *testing.T) {
	r := newRig(t)
	hook := func(target string, settings body) body {
		return body{"kind": "webhook", "target": target, "settings": settings}
	}
	const url = "https://hooks.example.com/x"
	for _, tc := range []struct {
		name, field string
		in          body
	}{
		{"a kind that there is not", "kind", body{"kind": "sms", "target": url}},
		{"a target that is no URL", "target", hook("hooks.example.com", nil)},
		{"a URL of a file", "target", hook("file:///etc/passwd", nil)},
		{"a URL with a password", "target", hook("https://a:b@hooks.example.com", nil)},
		{"a host that is no name", "target", hook("http://0x7f.1/", nil)},
		{"a format that there is not", "settings.format", hook(url, body{"format": "fax"})},
		{"ntfy without a topic", "settings.topic", hook(url, body{"format": "ntfy"})},
		{"a topic with a slash", "settings.topic", hook(url, body{"format": "ntfy", "topic": "a/b"})},
		{"a weak key", "settings.secret", hook(url, body{"secret": "whsec_YWJj"})},
		{"a key without its prefix", "settings.secret", hook(url, body{"secret": "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"})},
		{"a key that Slack has no use for", "settings.secret", hook(url, body{"format": "slack", "secret": signingKey})},
		{"a mail server of a webhook", "settings.smtp_host", hook(url, body{"smtp_host": "mail.example.com"})},
		{"a secret that is not stored", "settings.token", hook(url, body{"token": masked})},
		{"a kind of alert that there is not", "kinds[0]", body{"kind": "webhook", "target": url, "kinds": []string{"weather"}}},
		{"quiet hours that are none", "quiet_hours", body{"kind": "webhook", "target": url, "quiet_hours": "22-7"}},
		{"an address with a header", "target", body{"kind": "email", "target": "a@example.com\r\nBcc: b@example.com", "settings": letters()["settings"]}},
		{"a sender with a header", "settings.from", letters(body{"from": "a@example.com\nBcc: b@example.com"})},
		{"a sender with a name", "settings.from", letters(body{"from": "Gateway <a@example.com>"})},
		{"no mail server", "settings.smtp_host", letters(body{"smtp_host": ""})},
		{"a user without a password", "settings.password", letters(body{"password": ""})},
		{"a password in plain text", "settings.use_tls", letters(body{"use_tls": false})},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if a := r.Do("POST", "/alerts", tc.in).Want(http.StatusBadRequest); a.Complaint(tc.field) == "" {
				t.Errorf("complaints = %+v, want one about %s", a.Error.Fields, tc.field)
			}
		})
	}
	r.channel(hook(url, body{"secret": signingKey + " " + signingKey, "token": "abc"}))
}

// A stored secret is not sent to another receiver than the one it was given for; many may share a host.
func TestASecretDoesNotMove(t *testing.T) {
	r := newRig(t)
	hook := func(target string) body {
		return body{"kind": "webhook", "target": target, "settings": body{"token": masked}}
	}
	first := hook("https://hooks.example.com/a")
	first["settings"] = body{"token": "abc"}
	path := "/alerts/" + r.channel(first).ID
	r.Do("PUT", path, hook("https://hooks.example.com/a")).Want(http.StatusOK)
	for _, target := range []string{"https://hooks.example.com/b", "https://evil.example.com/a", "http://hooks.example.com/a", "https://hooks.example.com:8443/a"} {
		if a := r.Do("PUT", path, hook(target)).Want(http.StatusBadRequest); a.Complaint("settings.token") == "" {
			t.Errorf("%s: complaints = %+v, want one about the token", target, a.Error.Fields)
		}
	}
	mail := "/alerts/" + r.channel(letters()).ID
	for _, more := range []body{{"smtp_host": "evil.example.com"}, {"smtp_port": 2525}} {
		more["password"] = masked
		if a := r.Do("PUT", mail, letters(more)).Want(http.StatusBadRequest); a.Complaint("settings.password") == "" {
			t.Errorf("%v: complaints = %+v, want one about the password", more, a.Error.Fields)
		}
	}
}

func TestQuietHoursEnd(t *testing.T) {
	at := func(clock string) time.Time {
		out, err := time.Parse("2006-01-02 15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, tc := range []struct{ hours, now, want string }{
		{"", "2026-03-01 12:00", "2026-03-01 12:00"},
		{"22:00-07:00", "2026-03-01 21:59", "2026-03-01 21:59"},
		{"22:00-07:00", "2026-03-01 22:00", "2026-03-02 07:00"},
		{"22:00-07:00", "2026-03-02 06:59", "2026-03-02 07:00"},
		{"22:00-07:00", "2026-03-02 07:00", "2026-03-02 07:00"},
		{"12:00-13:30", "2026-03-02 12:10", "2026-03-02 13:30"},
	} {
		q, err := quietTime(tc.hours)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.end(at(tc.now)); !got.Equal(at(tc.want)) {
			t.Errorf("%q at %s is quiet until %v, want %s", tc.hours, tc.now, got, tc.want)
		}
	}
}
