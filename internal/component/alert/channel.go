package alert

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"time"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/secret"
)

// The kinds of channels.
const (
	webhook = "webhook"
	email   = "email"
)

// Channel is a receiver of alerts.
type Channel struct {
	resource.Meta
	Name        string          `json:"name" db:"name"`
	Kind        string          `json:"kind" db:"kind"`
	Target      string          `json:"target" db:"target"`
	Settings    ShownSettings   `json:"settings" db:"settings" doc:"Settings of the kind; a stored secret is shown as ***SET***"`
	Active      bool            `json:"active" db:"active"`
	MinSeverity string          `json:"min_severity" db:"min_severity"`
	Kinds       []string        `json:"kinds" db:"kinds"`
	QuietHours  string          `json:"quiet_hours" db:"quiet_hours"`
	LastOKAt    *time.Time      `json:"last_ok_at" db:"last_ok_at" readOnly:"true" doc:"When the last alert was delivered; null for never"`
	LastError   *fault.Sentence `json:"last_error,omitempty" db:"last_error" readOnly:"true" doc:"Why the last delivery failed; missing when it succeeded"`
	LastErrorAt *time.Time      `json:"last_error_at" db:"last_error_at" readOnly:"true" doc:"When the last delivery failed; null when it succeeded"`
}

// ChannelInput is what create and update take.
type ChannelInput struct {
	Name        string   `json:"name,omitempty" db:"name" maxLength:"100" example:"On call" doc:"Display name; default: the host of the webhook, or the e-mail address"`
	Kind        string   `json:"kind" db:"kind" enum:"webhook,email" doc:"How alerts are sent"`
	Target      string   `json:"target" db:"target" minLength:"1" maxLength:"2000" example:"https://hooks.example.com/alerts" doc:"For a webhook its URL, http or https; for e-mail the address, or several separated by commas"`
	Settings    Settings `json:"settings,omitempty" db:"settings" doc:"Settings of the kind; ***SET*** keeps a stored secret"`
	Active      *bool    `json:"active,omitempty" db:"active" default:"true" doc:"Whether alerts are sent"`
	MinSeverity string   `json:"min_severity,omitempty" db:"min_severity" enum:"info,warning,error,critical" default:"warning" doc:"Alerts below this severity are not sent"`
	Kinds       []string `json:"kinds,omitempty" db:"kinds" maxItems:"200" required:"false" nullable:"false" doc:"Only these kinds of alerts, see /alerts/kinds. Empty: all"`
	QuietHours  string   `json:"quiet_hours,omitempty" db:"quiet_hours" maxLength:"11" example:"22:00-07:00" doc:"Daily, in the time zone of the node: what is not critical is sent after it, unless it is resolved by then. Empty: none"`

	kept map[string]string // secrets that stay
}

// PlainSettings are the settings that may be read.
type PlainSettings struct {
	SMTPHost string `json:"smtp_host,omitempty" maxLength:"253" example:"mail.example.com" doc:"For e-mail: the mail server, by name or address"`
	SMTPPort int    `json:"smtp_port,omitempty" minimum:"0" maximum:"65535" example:"587" doc:"For e-mail: its port; default 587 with use_tls, else 25. At port 465 TLS is used from the start"`
	Username string `json:"username,omitempty" maxLength:"254" doc:"For e-mail: the account at the mail server; empty for none"`
	From     string `json:"from,omitempty" maxLength:"254" example:"gateway@example.com" doc:"For e-mail: the sender's address"`
	UseTLS   bool   `json:"use_tls,omitempty" doc:"For e-mail: require STARTTLS. An account needs it"`
	Format   string `json:"format,omitempty" enum:"generic,slack,teams,discord,ntfy" doc:"For a webhook: what is sent; default generic. slack is for Mattermost too; teams is an Adaptive Card for Workflows"`
	Topic    string `json:"topic,omitempty" maxLength:"64" doc:"For ntfy: the topic; the target is the server's root URL"`
}

// ShownSettings are settings as they are answered.
type ShownSettings struct {
	PlainSettings
	Password string `json:"password,omitempty" doc:"***SET*** if there is one"`
	Secret   string `json:"secret,omitempty" doc:"***SET*** if there is one"`
	Token    string `json:"token,omitempty" doc:"***SET*** if there is one"`
}

// Settings are settings as they are sent.
type Settings struct {
	PlainSettings
	Password secret.Text `json:"password,omitempty" maxLength:"500" doc:"For e-mail: password of the account"`
	Secret   secret.Text `json:"secret,omitempty" maxLength:"500" doc:"For a generic webhook: signs each request after Standard Webhooks. whsec_ and base64 of 24 to 64 bytes; several separated by spaces while a key is changed"`
	Token    secret.Text `json:"token,omitempty" maxLength:"500" doc:"For a generic webhook and ntfy: sent as Authorization: Bearer"`
}

// MarshalJSON is how settings are stored: without secrets, which are sealed beside them.
func (s Settings) MarshalJSON() ([]byte, error) { return json.Marshal(s.PlainSettings) }

// secrets are pointers to those there can be.
func (s *Settings) secrets() map[string]*secret.Text {
	return map[string]*secret.Text{"password": &s.Password, "secret": &s.Secret, "token": &s.Token}
}

// masked is what a secret is answered as, and how it is sent back unchanged.
const masked = secret.Masked

func (a *Alerts) channels() resource.Resource[Channel, ChannelInput] {
	status := func(column string) string {
		return "(select s." + column + " from alert_channel_status s where s.channel_id = alert_channels.id)"
	}
	return resource.Resource[Channel, ChannelInput]{
		Component: name, Noun: "channel", Path: channelsPath, Table: "alert_channels", Access: api.Admin,
		Search: []string{"name", "target"}, Sort: []string{"name", "kind", "active", "created_at", "updated_at"},
		Computed: map[string]string{
			"settings":   `settings || coalesce((select jsonb_object_agg(n, '` + masked + `') from unnest(secret_names) n), '{}')`,
			"last_ok_at": status("last_ok_at"), "last_error": status("last_error"), "last_error_at": status("last_error_at"),
		},
		Name:     func(c Channel) string { return c.Name },
		Prepare:  nameChannel,
		Validate: a.validateChannel,
		Derive:   a.deriveChannel,
	}
}

// nameChannel gives one that has no name the one that its target has; the URL of a webhook is often a
// secret as a whole.
func nameChannel(_ context.Context, _ bool, in *ChannelInput) error {
	if in.Name != "" {
		return nil
	}
	in.Name = in.Target
	if u, err := url.Parse(in.Target); in.Kind == webhook {
		in.Name = "Webhook"
		if err == nil && u.Host != "" {
			in.Name = u.Host
		}
	}
	if runes := []rune(in.Name); len(runes) > 100 {
		in.Name = string(runes[:100])
	}
	return nil
}

func secretsPlace(id string) secret.Place {
	return secret.Place{Table: "alert_channels", Column: "secrets", Row: id}
}

// open are the secrets of a channel; sealed is null where it has none.
func (a *Alerts) open(id string, sealed []byte) (map[string]string, error) {
	return a.Box.OpenSet(sealed, secretsPlace(id))
}

// keepSecrets opens those that are to stay as they are.
func (a *Alerts) keepSecrets(ctx context.Context, tx db.DB, old *Channel, in *ChannelInput) error {
	if old == nil || !secret.Stays(in.Settings.secrets()) {
		return nil
	}
	var sealed []byte
	err := tx.QueryRow(ctx, `select secrets from alert_channels where id = $1`, old.ID).Scan(&sealed)
	if err != nil {
		return fmt.Errorf("read the secrets of channel %s: %w", old.ID, err)
	}
	in.kept, err = a.open(old.ID, sealed)
	return err
}

// deriveChannel seals secrets. As long as all of them stay, what is stored does: such a change can be
// reverted.
func (a *Alerts) deriveChannel(_ context.Context, id string, old *Channel, in *ChannelInput) (map[string]any, error) {
	names, sealed, changed := a.Box.SealSet(in.Settings.secrets(), in.kept, secretsPlace(id))
	if old != nil && !changed && slices.Equal(names, old.Settings.secretNames()) {
		return nil, nil
	}
	return map[string]any{"secret_names": names, "secrets": sealed}, nil
}

// secretNames are those that are stored.
func (s ShownSettings) secretNames() (names []string) {
	for name, value := range map[string]string{"password": s.Password, "secret": s.Secret, "token": s.Token} {
		if value != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
