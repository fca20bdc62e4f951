package alert

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/value"
)

// The formats of a webhook.
const (
	generic = "generic"
	slack   = "slack"
	teams   = "teams"
	discord = "discord"
	ntfy    = "ntfy"
)

// mostChannels bounds how many receivers may hang at the same time.
const mostChannels = 50

// takes are the settings that each kind of channel, or format of webhook, has a use for.
var takes = map[string][]string{
	email:   {"smtp_host", "smtp_port", "username", "password", "from", "use_tls"},
	generic: {"format", "secret", "token"},
	slack:   {"format"},
	teams:   {"format"},
	discord: {"format"},
	ntfy:    {"format", "topic", "token"},
}

// validateChannel also puts every value into the one form that is stored.
func (a *Alerts) validateChannel(ctx context.Context, tx db.DB, old *Channel, in *ChannelInput) error {
	in.Active = value.OrTrue(in.Active)
	if in.MinSeverity == "" {
		in.MinSeverity = "warning"
	}
	var p fault.Problems
	if err := value.Line(in.Name); err != nil {
		p.AddError("name", err)
	}
	a.checkKinds(&p, in)
	if _, err := quietTime(in.QuietHours); err != nil {
		p.AddError("quiet_hours", err)
	}
	use := email
	if in.Kind == webhook {
		if in.Settings.Format == "" {
			in.Settings.Format = generic
		}
		use = in.Settings.Format
		checkWebhook(&p, in)
	} else {
		checkEmail(&p, in)
	}
	checkUnused(&p, in.Settings, use)
	checkSecrets(&p, old, in)
	if err := p.Err(); err != nil {
		return err
	}
	if old == nil {
		if err := room(ctx, tx); err != nil {
			return err
		}
	}
	return a.keepSecrets(ctx, tx, old, in)
}

func room(ctx context.Context, tx db.DB) error {
	var count int
	if err := tx.QueryRow(ctx, `select count(id) from alert_channels`).Scan(&count); err != nil {
		return fmt.Errorf("count channels: %w", err)
	}
	if count >= mostChannels {
		return fault.New(fault.Conflict, "there are %d channels, which is the maximum", count)
	}
	return nil
}

func (a *Alerts) checkKinds(p *fault.Problems, in *ChannelInput) {
	known := a.kinds()
	for i, kind := range in.Kinds {
		if !slices.ContainsFunc(known, func(k Kind) bool { return k.Kind == kind }) {
			p.Add(fmt.Sprintf("kinds[%d]", i), "is not a kind of alert")
		}
	}
	in.Kinds = append([]string{}, in.Kinds...)
	slices.Sort(in.Kinds)
	in.Kinds = slices.Compact(in.Kinds)
}

var topics = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func checkWebhook(p *fault.Problems, in *ChannelInput) {
	u, err := url.Parse(in.Target)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.ContainsFunc(in.Target, func(r rune) bool { return r <= ' ' || r > '~' }):
		p.Add("target", "must be a URL that begins with http:// or https://")
	case u.User != nil:
		p.Add("target", "must not contain a user name or a password; use a token")
	case u.Fragment != "":
		p.Add("target", "must not contain a fragment (#)")
	default:
		if _, err := value.HostOrName(u.Hostname()); err != nil {
			p.AddError("target", err)
		}
	}
	if in.Settings.Format == ntfy && !topics.MatchString(in.Settings.Topic) {
		p.Add("settings.topic", "must have 1 to 64 letters, digits, hyphens or underscores")
	}
	if text := in.Settings.Secret.Reveal(); text != "" && text != masked {
		if _, err := signingKeys(text); err != nil {
			p.AddError("settings.secret", err)
		}
	}
}

func checkEmail(p *fault.Problems, in *ChannelInput) {
	to, err := recipients(in.Target)
	if err != nil {
		p.AddError("target", err)
	}
	in.Target = strings.Join(to, ", ")
	set := &in.Settings
	if set.SMTPHost, err = value.HostOrName(set.SMTPHost); err != nil {
		p.AddError("settings.smtp_host", err)
	}
	if set.SMTPPort == 0 {
		set.SMTPPort = 25
		if set.UseTLS {
			set.SMTPPort = 587
		}
	}
	if set.From, err = address(set.From); err != nil {
		p.AddError("settings.from", err)
	}
	if err := value.Line(set.Username); err != nil {
		p.AddError("settings.username", err)
	}
	if (set.Username == "") != (set.Password == "") {
		p.Add("settings.password", "must be given together with the user name")
	}
	if set.Username != "" && !set.UseTLS && set.SMTPPort != smtpsPort {
		p.Add("settings.use_tls", "is needed for an account: a password is not sent without encryption")
	}
}

// recipients are the addresses of a target.
func recipients(target string) ([]string, error) {
	var out []string
	for one := range strings.SplitSeq(target, ",") {
		to, err := address(strings.TrimSpace(one))
		if err != nil {
			return nil, err
		}
		out = append(out, to)
	}
	return out, nil
}

// address is one e-mail address without a display name. Whatever could begin another header is no part of one.
func address(text string) (string, error) {
	bad := strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`<>"(),:;\`, r) })
	if parsed, err := mail.ParseAddress(text); bad || err != nil || parsed.Address != text {
		return "", fault.Say("must be an e-mail address")
	}
	return text, nil
}

// checkUnused refuses settings that would have no effect: whoever sends them expects one.
func checkUnused(p *fault.Problems, set Settings, use string) {
	given := map[string]bool{
		"smtp_host": set.SMTPHost != "", "smtp_port": set.SMTPPort != 0, "username": set.Username != "", "password": set.Password != "",
		"from": set.From != "", "use_tls": set.UseTLS, "format": set.Format != "", "topic": set.Topic != "", "secret": set.Secret != "", "token": set.Token != "",
	}
	for name, is := range given {
		if is && !slices.Contains(takes[use], name) {
			p.Add("settings."+name, "is not used by this kind of channel")
		}
	}
}

// checkSecrets judges those that are to stay. A stored secret is not sent to another server than
// the one it was given for: whoever may change the address may not thereby read the secret.
func checkSecrets(p *fault.Problems, old *Channel, in *ChannelInput) {
	for name, given := range in.Settings.secrets() {
		switch {
		case given.Reveal() != masked:
			if strings.ContainsFunc(given.Reveal(), value.Unprintable) {
				p.Add("settings."+name, "must not contain control characters")
			}
		case old == nil || !slices.Contains(old.Settings.secretNames(), name):
			p.Add("settings."+name, "is not stored yet; enter its value")
		case moved(old, in):
			p.Add("settings."+name, "must be entered again, because what it belongs to has changed")
		}
	}
}

func moved(old *Channel, in *ChannelInput) bool {
	if old.Kind != in.Kind {
		return true
	}
	if in.Kind == email {
		a, b := old.Settings.PlainSettings, in.Settings.PlainSettings
		return a.SMTPHost != b.SMTPHost || a.SMTPPort != b.SMTPPort || a.UseTLS != b.UseTLS
	}
	// Not its host alone: many receivers may share one.
	return old.Target != in.Target
}

// signingKeys are those of a webhook, after Standard Webhooks.
func signingKeys(text string) ([][]byte, error) {
	var keys [][]byte
	for _, one := range strings.Fields(text) {
		encoded, found := strings.CutPrefix(one, "whsec_")
		key, err := base64.StdEncoding.DecodeString(encoded)
		if !found || err != nil || len(key) < 24 || len(key) > 64 {
			return nil, fault.Say("must be whsec_ and base64 of 24 to 64 bytes")
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// quiet is a daily time, as minutes of the day.
type quiet struct{ from, until int }

var quietHours = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$`)

// quietTime reads quiet hours; empty is none.
func quietTime(text string) (quiet, error) {
	if text == "" {
		return quiet{}, nil
	}
	minutes := func(s string) int { return int(s[0]-'0')*600 + int(s[1]-'0')*60 + int(s[3]-'0')*10 + int(s[4]-'0') }
	if !quietHours.MatchString(text) || text[:5] == text[6:] {
		return quiet{}, fault.Say("must be a time such as 22:00-07:00")
	}
	return quiet{minutes(text[:5]), minutes(text[6:])}, nil
}

// end is when the quiet that it is at that time is over; at itself while it is not quiet.
func (q quiet) end(at time.Time) time.Time {
	minute := at.Hour()*60 + at.Minute()
	within := q.from <= minute && minute < q.until
	if q.from > q.until { // over midnight
		within = minute >= q.from || minute < q.until
	}
	if !within {
		return at
	}
	day := at
	if q.from > q.until && minute >= q.from {
		day = at.AddDate(0, 0, 1)
	}
	return time.Date(day.Year(), day.Month(), day.Day(), q.until/60, q.until%60, 0, 0, at.Location())
}
