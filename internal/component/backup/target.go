package backup

import (
	"context"
	"encoding/json"
	"time"

	"gateway/internal/api"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/secret"
)

// The kinds of targets.
const (
	s3   = "s3"
	sftp = "sftp"
)

// Target is a place where copies go to.
type Target struct {
	resource.Meta
	Name         string          `json:"name" db:"name"`
	Kind         string          `json:"kind" db:"kind"`
	TargetURL    string          `json:"target_url" db:"target_url" readOnly:"true" doc:"Where archives go to, made of the settings" example:"sftp://backup@vault.example.com:22/gateway"`
	Settings     ShownSettings   `json:"settings" db:"settings" doc:"Settings of the kind; a stored secret is shown as ***SET***"`
	Active       bool            `json:"active" db:"active"`
	Keep         int             `json:"keep" db:"keep"`
	HostKey      string          `json:"host_key" db:"host_key" readOnly:"true" doc:"For sftp: fingerprint of the host key at the last successful connection; empty: there was none. Without host_key_fingerprint, another one is refused"`
	LastUploadAt *time.Time      `json:"last_upload_at" db:"last_upload_at" readOnly:"true" doc:"When the last archive was uploaded; null for never"`
	LastError    *fault.Sentence `json:"last_error,omitempty" db:"last_error" readOnly:"true" doc:"Why the last upload failed; missing when it succeeded"`
	LastErrorAt  *time.Time      `json:"last_error_at" db:"last_error_at" readOnly:"true" doc:"When the last upload failed; null when it succeeded"`
	Foreign      int             `json:"foreign_archives" db:"foreign_archives" readOnly:"true" doc:"Archives that were there at the last upload, and that this node does not know to have put there: of other nodes, from before it was reinstalled or restored on new hardware, or anybody's. keep neither counts nor removes them"`
}

// TargetInput is what create and update take.
type TargetInput struct {
	Name     string         `json:"name,omitempty" db:"name" maxLength:"100" example:"Vault" doc:"Display name; default: the host, for s3 with the bucket"`
	Kind     string         `json:"kind" db:"kind" enum:"s3,sftp" doc:"How archives are uploaded"`
	Settings TargetSettings `json:"settings" db:"settings" doc:"Settings of the kind; ***SET*** keeps a stored secret"`
	Active   *bool          `json:"active,omitempty" db:"active" default:"true" doc:"Whether archives are uploaded"`
	Keep     int            `json:"keep,omitempty" db:"keep" minimum:"0" maximum:"365" doc:"How many of the latest archives are kept there, and for how many days the latest of each day; 0: as many as on this node. Only those that this node has put there count, see foreign_archives"`

	kept map[string]string // secrets that stay
}

// PlainSettings are the settings that may be read.
type PlainSettings struct {
	Endpoint    string `json:"endpoint,omitempty" maxLength:"253" example:"s3.eu-central-1.amazonaws.com" doc:"For s3: host, or host:port, of the service"`
	Region      string `json:"region,omitempty" maxLength:"64" example:"eu-central-1" doc:"For s3: region; default us-east-1"`
	Bucket      string `json:"bucket,omitempty" maxLength:"63" doc:"For s3: name of the bucket"`
	AccessKey   string `json:"access_key,omitempty" maxLength:"128" doc:"For s3: id of the access key"`
	PathPrefix  string `json:"path_prefix,omitempty" maxLength:"200" example:"gateways/gw1" doc:"For s3: what the names of objects begin with; a slash is put behind it. Empty: none"`
	HTTPS       *bool  `json:"https,omitempty" doc:"For s3: use TLS, which is the default. Without it, the archive is still encrypted, but anyone on the path sees the access key id and can replace responses"`
	Host        string `json:"host,omitempty" maxLength:"253" example:"vault.example.com" doc:"For sftp: the server, by name or address"`
	Port        int    `json:"port,omitempty" minimum:"0" maximum:"65535" example:"22" doc:"For sftp: its port; default 22"`
	Username    string `json:"username,omitempty" maxLength:"128" doc:"For sftp: the account"`
	RemoteDir   string `json:"remote_dir,omitempty" maxLength:"400" example:"/srv/gateway" doc:"For sftp: existing folder for the archives; empty: where the account begins"`
	Fingerprint string `json:"host_key_fingerprint,omitempty" maxLength:"100" example:"SHA256:uNiVztksCsDhcc0u9e8BrrJXVGDXYfu5WXn0wNDRjNE" doc:"For sftp: fingerprint of the server's host key (ssh-keygen -lf). Empty: the key of the first connection is accepted and pinned, see host_key"`
}

// ShownSettings are settings as they are answered.
type ShownSettings struct {
	PlainSettings
	SecretKey  string `json:"secret_key,omitempty" doc:"***SET*** if there is one"`
	Password   string `json:"password,omitempty" doc:"***SET*** if there is one"`
	PrivateKey string `json:"private_key,omitempty" doc:"***SET*** if there is one"`
}

// TargetSettings are settings as they are sent.
type TargetSettings struct {
	PlainSettings
	SecretKey  secret.Text `json:"secret_key,omitempty" maxLength:"500" doc:"For s3: secret of the access key"`
	Password   secret.Text `json:"password,omitempty" maxLength:"500" doc:"For sftp: password of the account"`
	PrivateKey secret.Text `json:"private_key,omitempty" maxLength:"32000" doc:"For sftp: private key of the account in the format of OpenSSH, without a passphrase, as base64"`
}

// MarshalJSON is how settings are stored: without secrets, which are sealed beside them.
func (s TargetSettings) MarshalJSON() ([]byte, error) { return json.Marshal(s.PlainSettings) }

// masked is what a secret is answered as, and how it is sent back unchanged.
const masked = secret.Masked

func (s *service) targets() resource.Resource[Target, TargetInput] {
	status := func(column, or string) string {
		return "coalesce((select s." + column + " from backup_target_status s where s.target_id = backup_targets.id), " + or + ")"
	}
	return resource.Resource[Target, TargetInput]{
		Component: name, Noun: "target", Path: targetsPath, Table: "backup_targets", Access: api.Viewer, Lasting: true,
		Search: []string{"name", "target_url"}, Sort: []string{"name", "kind", "active", "created_at", "updated_at"},
		Unique: map[string]string{"backup_targets_name": "name"},
		Computed: map[string]string{
			"settings": `settings || coalesce((select jsonb_object_agg(n, '` + masked + `') from unnest(secret_names) n), '{}')`,
			"host_key": status("host_key", "''"), "last_upload_at": status("last_upload_at", "null"),
			"last_error": status("last_error", "null"), "last_error_at": status("last_error_at", "null"),
			"foreign_archives": status("foreign_archives", "0"),
		},
		Name:     func(t Target) string { return t.Name },
		Prepare:  nameTarget,
		Validate: s.validateTarget,
		Derive:   s.deriveTarget,
	}
}

// nameTarget gives one that has no name the one of its host.
func nameTarget(_ context.Context, _ bool, in *TargetInput) error {
	if in.Name != "" {
		return nil
	}
	in.Name = in.Settings.Host
	if in.Kind == s3 {
		in.Name = in.Settings.Bucket + " (" + in.Settings.Endpoint + ")"
	}
	if runes := []rune(in.Name); len(runes) > 100 {
		in.Name = string(runes[:100])
	}
	return nil
}
