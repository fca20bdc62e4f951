package backup

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/value"
)

// mostTargets bounds how many uploads there are at the same time.
const mostTargets = 10

// takes are the settings that each kind of target has a use for.
var takes = map[string][]string{
	s3:   {"endpoint", "region", "bucket", "access_key", "secret_key", "path_prefix", "https"},
	sftp: {"host", "port", "username", "password", "private_key", "remote_dir", "host_key_fingerprint"},
}

// validateTarget also puts every value into the one form that is stored.
func (s *service) validateTarget(ctx context.Context, tx db.DB, old *Target, in *TargetInput) error {
	in.Active = value.OrTrue(in.Active)
	var p fault.Problems
	if err := value.Line(in.Name); err != nil {
		p.AddError("name", err)
	}
	checkUnused(&p, in.Settings, in.Kind)
	if in.Kind == s3 {
		checkS3(&p, &in.Settings)
	} else {
		checkSFTP(&p, &in.Settings)
	}
	checkSecrets(&p, old, in)
	if err := p.Err(); err != nil {
		return err
	}
	if old == nil {
		if err := room(ctx, tx); err != nil {
			return err
		}
	}
	return s.keepSecrets(ctx, tx, old, in)
}

func room(ctx context.Context, tx db.DB) error {
	var count int
	if err := tx.QueryRow(ctx, `select count(id) from backup_targets`).Scan(&count); err != nil {
		return fmt.Errorf("count targets: %w", err)
	}
	if count >= mostTargets {
		return fault.New(fault.Conflict, "there are %d targets, which is the maximum", count)
	}
	return nil
}

var (
	buckets      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$`)
	regions      = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	prefixes     = regexp.MustCompile(`^[A-Za-z0-9._!'()*=-]+(/[A-Za-z0-9._!'()*=-]+)*$`)
	words        = regexp.MustCompile(`^[!-~]+$`)
	fingerprints = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}$`)
)

func checkS3(p *fault.Problems, set *TargetSettings) {
	set.HTTPS = value.OrTrue(set.HTTPS)
	if set.Region == "" {
		set.Region = "us-east-1"
	}
	endpoint, err := hostPort(set.Endpoint)
	if err != nil {
		p.AddError("settings.endpoint", err)
	}
	set.Endpoint = endpoint
	if !buckets.MatchString(set.Bucket) || strings.Contains(set.Bucket, "..") {
		p.Add("settings.bucket", "must be the name of a bucket: 3 to 63 letters, digits, hyphens, dots or underscores")
	}
	if !regions.MatchString(set.Region) {
		p.Add("settings.region", "must have letters, digits, hyphens or underscores")
	}
	set.PathPrefix = strings.Trim(set.PathPrefix, "/")
	if set.PathPrefix != "" && (!prefixes.MatchString(set.PathPrefix) || path.Clean(set.PathPrefix) != set.PathPrefix) {
		p.Add("settings.path_prefix", "must be folders separated by slashes, of letters, digits and .-_!'()*=")
	}
	if !words.MatchString(set.AccessKey) {
		p.Add("settings.access_key", "must be printable ASCII without spaces")
	}
	if set.SecretKey == "" {
		p.Add("settings.secret_key", "is required")
	}
}

// hostPort is a host, or a host with a port.
func hostPort(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, err = value.HostOrName(text)
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return host, err
	}
	if host, err = value.HostOrName(host); err != nil {
		return "", err
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fault.Say("must have a port from 1 to 65535 behind the colon")
	}
	return net.JoinHostPort(host, port), nil
}

func checkSFTP(p *fault.Problems, set *TargetSettings) {
	var err error
	if set.Host, err = value.HostOrName(set.Host); err != nil {
		p.AddError("settings.host", err)
	}
	if set.Port == 0 {
		set.Port = 22
	}
	if !words.MatchString(set.Username) {
		p.Add("settings.username", "must be printable ASCII without spaces")
	}
	if set.Password == "" && set.PrivateKey == "" {
		p.Add("settings.password", "is required, unless there is a private key")
	}
	if err := value.Line(set.RemoteDir); err != nil {
		p.AddError("settings.remote_dir", err)
	}
	if set.Fingerprint != "" && !fingerprints.MatchString(set.Fingerprint) {
		p.Add("settings.host_key_fingerprint", "must be SHA256: and 43 characters, as ssh-keygen -lf prints it")
	}
	if key := set.PrivateKey.Reveal(); key != "" && key != masked {
		if !isPrivateKey(key) {
			p.Add("settings.private_key", "must be a private key in the format of OpenSSH, without a passphrase, as base64")
		}
	}
}

func isPrivateKey(text string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return false
	}
	_, err = ssh.ParseRawPrivateKey(key)
	return err == nil
}

// checkUnused refuses settings that would have no effect: whoever sends them expects one.
func checkUnused(p *fault.Problems, set TargetSettings, kind string) {
	given := map[string]bool{
		"endpoint": set.Endpoint != "", "region": set.Region != "", "bucket": set.Bucket != "", "access_key": set.AccessKey != "", "secret_key": set.SecretKey != "",
		"path_prefix": set.PathPrefix != "", "https": set.HTTPS != nil, "host": set.Host != "", "port": set.Port != 0, "username": set.Username != "",
		"password": set.Password != "", "private_key": set.PrivateKey != "", "remote_dir": set.RemoteDir != "", "host_key_fingerprint": set.Fingerprint != "",
	}
	for name, is := range given {
		if is && !slices.Contains(takes[kind], name) {
			p.Add("settings."+name, "is not used by this kind of target")
		}
	}
}

// checkSecrets judges those that are to stay. A stored secret is not sent to another server than the one it was given
// for: whoever may change the address may not thereby read the secret.
func checkSecrets(p *fault.Problems, old *Target, in *TargetInput) {
	for name, given := range in.Settings.secrets() {
		switch {
		case given.Reveal() != masked:
			if name != "private_key" && strings.ContainsFunc(given.Reveal(), value.Unprintable) {
				p.Add("settings."+name, "must not contain control characters")
			}
		case old == nil || !slices.Contains(old.Settings.secretNames(), name):
			p.Add("settings."+name, "is not stored yet; enter its value")
		case moved(old, in) || name == "password" && old.distrusts(in):
			p.Add("settings."+name, "must be entered again, because what it belongs to has changed")
		}
	}
}

func moved(old *Target, in *TargetInput) bool {
	a, b := old.Settings.PlainSettings, in.Settings.PlainSettings
	if old.Kind != in.Kind {
		return true
	}
	if in.Kind == s3 {
		return a.Endpoint != b.Endpoint || a.AccessKey != b.AccessKey || *value.OrTrue(a.HTTPS) != *value.OrTrue(b.HTTPS)
	}
	return a.Host != b.Host || a.Port != b.Port || a.Username != b.Username
}

// distrusts reports whether another host key than until now would be accepted: whoever has it may be in the server's place.
// A password is sent to it, what is signed with a private key is of no use to it.
func (t Target) distrusts(in *TargetInput) bool {
	known := cmp.Or(t.Settings.Fingerprint, t.HostKey)
	return known != "" && cmp.Or(in.Settings.Fingerprint, t.HostKey) != known
}

// url is where archives go to, for people.
func (s PlainSettings) url(kind string) string {
	u := url.URL{Scheme: sftp, User: url.User(s.Username), Host: s.server(), Path: s.RemoteDir}
	if kind == s3 {
		u = url.URL{Scheme: "https", Host: s.Endpoint, Path: "/" + path.Join(s.Bucket, s.PathPrefix)}
		if !*value.OrTrue(s.HTTPS) {
			u.Scheme = "http"
		}
	}
	return u.String()
}

// server is the host of sftp with its port.
func (s PlainSettings) server() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }
