package cert

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/dnsprovider"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/secret"
	"gateway/internal/value"
)

// masked is what a secret setting is answered as, and how it is sent back unchanged.
const masked = secret.Masked

// Provider changes the records of zones for challenges.
type Provider struct {
	resource.Meta
	Name     string            `json:"name" db:"name"`
	Kind     string            `json:"kind" db:"kind"`
	Settings map[string]string `json:"settings" db:"settings"`
}

// ProviderInput is what create and update take.
type ProviderInput struct {
	Name     string            `json:"name" db:"name" minLength:"1" maxLength:"100" example:"our name server" doc:"Display name of this provider account"`
	Kind     string            `json:"kind" db:"kind" maxLength:"40" doc:"One of the kinds of /certificates/dns-provider-kinds" example:"rfc2136"`
	Settings map[string]string `json:"settings" db:"-" doc:"Settings of its kind; ***SET*** keeps a stored secret" example:"{\"server\": \"192.0.2.1\", \"key_name\": \"gateway\", \"key\": \"…\"}"`

	kept map[string]string // secrets that stay
}

func (s *service) providers() resource.Resource[Provider, ProviderInput] {
	return resource.Resource[Provider, ProviderInput]{
		Component: "cert", Noun: "dns-provider", Path: "/certificates/dns-providers", Table: "dns_providers", Access: api.Viewer,
		Search: []string{"name", "kind"}, Sort: []string{"name", "kind", "created_at", "updated_at"},
		Unique: map[string]string{"dns_providers_name": "name"},
		Computed: map[string]string{
			"settings": `settings || coalesce((select jsonb_object_agg(n, '` + masked + `') from unnest(secret_names) n), '{}')`,
		},
		Name:     func(r Provider) string { return r.Name },
		Validate: s.validateProvider,
		Derive:   s.deriveProvider,
		After:    refuseProviderInUse,
	}
}

// refuseProviderInUse keeps a provider by which certificates are renewed.
func refuseProviderInUse(ctx context.Context, tx change.Tx, old, now *Provider, _ *ProviderInput) error {
	if now != nil || old == nil {
		return nil
	}
	return resource.RefuseUsed(ctx, tx, func(u fault.Uses) *fault.Fault {
		return fault.New(fault.Conflict, "the DNS provider %s is used by %d certificates; choose another one there first", old.Name, u.UsedByTotal)
	}, `select 'certificate', id::text, names[1], '/certificates/' || id from certificates where dns_provider_id = $1`, old.ID)
}

func (s *service) kindRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-cert-dns-provider-kinds", Method: http.MethodGet, Path: "/certificates/dns-provider-kinds", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "List the kinds of DNS provider and their settings",
		Description: "A provider of /certificates/dns-providers has one of these kinds, and its settings.",
	}, func(context.Context, *struct{}) (*api.Body[[]dnsprovider.Kind], error) {
		return api.OK(dnsprovider.Kinds()), nil
	})
}

func (s *service) validateProvider(ctx context.Context, tx db.DB, old *Provider, in *ProviderInput) error {
	var problems fault.Problems
	if strings.ContainsFunc(in.Name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		problems.Add("name", "must be one line")
	}
	k, ok := dnsprovider.Find(in.Kind)
	if !ok {
		problems.Add("kind", "is not a known kind")
		return problems.Err()
	}
	for name := range in.Settings {
		if !slices.ContainsFunc(k.Settings, func(setting dnsprovider.Setting) bool { return setting.Name == name }) {
			problems.Add("settings", "has a setting that %s does not accept; see the list of kinds", k.Title)
		}
	}
	moved := old != nil && (old.Kind != in.Kind || slices.ContainsFunc(k.Settings, func(setting dnsprovider.Setting) bool {
		return setting.Server && old.Settings[setting.Name] != in.Settings[setting.Name]
	}))
	for _, setting := range k.Settings {
		if err := checkSetting(setting, in.Settings[setting.Name], old, moved); err != nil {
			problems.AddError("settings."+setting.Name, err)
		}
	}
	if err := problems.Err(); err != nil {
		return err
	}
	return s.keepSecrets(ctx, tx, old, in)
}

// checkSetting judges one value. A stored secret is not sent to another server than the
// one it was given for: whoever may change the address may not thereby read the secret.
func checkSetting(s dnsprovider.Setting, value string, old *Provider, moved bool) error {
	switch {
	case value == "" && s.Required:
		return fault.Say("is required")
	case value == "":
		return nil
	case len(value) > 4096 || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fault.Say("must be printable ASCII without spaces, at most 4096 characters")
	case !s.Secret && value == masked:
		return fault.Say("is not a secret; enter its value")
	case s.Secret && value == masked && (old == nil || old.Settings[s.Name] != masked):
		return fault.Say("is not stored yet; enter its value")
	case s.Secret && value == masked && moved:
		return fault.Say("must be entered again, because what it belongs to has changed")
	case s.Secret && value == masked:
		return nil
	case s.Server:
		return checkServer(value)
	case s.Name == "key":
		if _, err := base64.StdEncoding.DecodeString(value); err != nil {
			return fault.Say("must be base64")
		}
	}
	return nil
}

func checkServer(server string) error {
	name, port, err := net.SplitHostPort(dnsprovider.WithPort(server))
	if n, errPort := strconv.ParseUint(port, 10, 16); err != nil || errPort != nil || n == 0 {
		return fault.Say("must be an address or a name, optionally with a port")
	}
	_, err = value.HostOrName(name)
	return err
}

// keepSecrets opens those that are to stay as they are.
func (s *service) keepSecrets(ctx context.Context, tx db.DB, old *Provider, in *ProviderInput) error {
	stays := slices.Contains(slices.Collect(maps.Values(in.Settings)), masked)
	if old == nil || !stays {
		return nil
	}
	stored, err := s.secrets(ctx, tx, old.ID)
	if err != nil {
		return err
	}
	in.kept = stored
	return nil
}

func secretsPlace(id string) secret.Place {
	return secret.Place{Table: "dns_providers", Column: "secrets", Row: id}
}

func (s *service) secrets(ctx context.Context, q db.DB, id string) (map[string]string, error) {
	var sealed []byte
	if err := q.QueryRow(ctx, `select secrets from dns_providers where id = $1`, id).Scan(&sealed); err != nil {
		return nil, fmt.Errorf("read the secrets of provider %s: %w", id, err)
	}
	text, err := s.Box.Open(sealed, secretsPlace(id))
	if err != nil {
		return nil, err
	}
	var out map[string]string
	if json.Unmarshal(text, &out) != nil { // its error would quote them
		return nil, fmt.Errorf("the secrets of provider %s are not readable", id)
	}
	return out, nil
}

// deriveProvider parts secrets from what may be read, and seals them. As long as all of them stay, what is stored does:
// such a change can be reverted.
func (s *service) deriveProvider(_ context.Context, id string, old *Provider, in *ProviderInput) (map[string]any, error) {
	k, _ := dnsprovider.Find(in.Kind)
	plain, secrets, changed := map[string]string{}, map[string]string{}, false
	for _, setting := range k.Settings {
		switch value := in.Settings[setting.Name]; {
		case value == "":
		case setting.Secret && value == masked:
			secrets[setting.Name] = in.kept[setting.Name]
		case setting.Secret:
			secrets[setting.Name], changed = value, true
		default:
			plain[setting.Name] = value
		}
	}
	names := slices.Sorted(maps.Keys(secrets))
	if old != nil && !changed && slices.Equal(names, old.secretNames()) {
		return map[string]any{"settings": plain}, nil
	}
	text, err := json.Marshal(secrets)
	if err != nil {
		return nil, fmt.Errorf("seal the secrets of a provider: %w", err)
	}
	return map[string]any{"settings": plain, "secret_names": names, "secrets": s.Box.Seal(text, secretsPlace(id))}, nil
}

// secretNames are those that are stored.
func (p Provider) secretNames() (names []string) {
	for name, shown := range p.Settings {
		if shown == masked {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// openProvider makes the client of a stored provider, and something that keeps its
// secrets out of what it says.
func (s *service) openProvider(ctx context.Context, id string) (dnsprovider.Changer, *strings.Replacer, error) {
	var kind string
	var settings map[string]string
	err := s.DB.QueryRow(ctx, `select kind, settings from dns_providers where id = $1`, id).Scan(&kind, &settings)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil, troubled(dnsUpdateFailed, err, "the DNS provider no longer exists")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read provider %s: %w", id, err)
	}
	secrets, err := s.secrets(ctx, s.DB, id)
	if err != nil {
		return nil, nil, troubled(dnsUpdateFailed, err, "the secrets of the DNS provider cannot be decrypted; enter them again")
	}
	var hide []string
	for _, value := range secrets {
		hide = append(hide, value, masked)
	}
	maps.Copy(settings, secrets)
	client, err := s.Providers(kind, settings)
	if err != nil {
		return nil, nil, troubled(dnsUpdateFailed, err, "the DNS provider cannot be used: %s", err)
	}
	return client, strings.NewReplacer(hide...), nil
}
