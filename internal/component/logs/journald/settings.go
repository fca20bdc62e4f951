package journald

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"

	"gateway/internal/fault"
	"gateway/internal/logship"
	"gateway/internal/value"
)

// Settings are how long logs are kept here, and where they are sent.
type Settings struct {
	JournalMaxMB     *int     `json:"journal_max_mb" db:"journal_max_mb" nullable:"true" minimum:"64" maximum:"1048576" doc:"Log of the services: most MiB on the disk; null for what journald's own files say, by default a tenth of the file system and at most 4 GiB"`
	JournalMaxDays   *int     `json:"journal_max_days" db:"journal_max_days" nullable:"true" minimum:"1" maximum:"3650" doc:"Log of the services: entries are removed after this many days, within a day or a thirtieth of them; null for what journald's own files say, by default no limit"`
	AccessLogMaxMB   *int     `json:"access_log_max_mb" db:"access_log_max_mb" nullable:"true" minimum:"64" maximum:"1048576" doc:"Access log of the reverse proxy: most MiB on the disk; null for the default, 1024"`
	AccessLogMaxDays *int     `json:"access_log_max_days" db:"access_log_max_days" nullable:"true" minimum:"1" maximum:"3650" doc:"Access log of the reverse proxy: entries are removed after this many days, within a day or a thirtieth of them; null for the default, 30"`
	RemoteEnabled    bool     `json:"remote_enabled" db:"remote_enabled" doc:"Send log entries to a syslog receiver, by RFC 5424 over TLS (RFC 5425). If off, the log shipper is stopped and not started at boot"`
	RemoteHost       string   `json:"remote_host" db:"remote_host" maxLength:"253" doc:"Receiver: name or IP address; not one of this node, link-local, or of a cloud's metadata. Empty only while remote_enabled is off" example:"logs.example.com"`
	RemotePort       int      `json:"remote_port" db:"remote_port" minimum:"1" maximum:"65535" doc:"TCP port of the receiver" example:"6514"`
	RemoteServerName string   `json:"remote_server_name" db:"remote_server_name" maxLength:"253" doc:"Name or address that the receiver's certificate must be for; empty for remote_host"`
	RemoteCA         string   `json:"remote_ca" db:"remote_ca" maxLength:"65536" doc:"Certificates of the authorities that the receiver's certificate may come from, in PEM; empty for those that the system trusts"`
	RemoteLevel      string   `json:"remote_level" db:"remote_level" enum:"debug,info,warn,error" doc:"Send entries of this level and worse; the access log is sent whole"`
	RemoteUnits      []string `json:"remote_units" db:"remote_units" maxItems:"100" doc:"Send entries of these systemd services only; empty for all entries of this node, those of the system too" example:"[\"gateway-api.service\"]"`
	RemoteAccessLog  bool     `json:"remote_access_log" db:"remote_access_log" doc:"Send the access log of the reverse proxy, too: a line for each request"`
}

// Validate reports everything that is wrong, and spells what is right the one way it is stored in.
func (s *Settings) Validate(p *fault.Problems) {
	s.validateBounds(p)
	s.validateReceiver(p)
}

func (s *Settings) validateBounds(p *fault.Problems) {
	for _, f := range []struct {
		name        string
		value       *int
		least, most int
	}{
		{"journal_max_mb", s.JournalMaxMB, 64, 1 << 20},
		{"journal_max_days", s.JournalMaxDays, 1, 3650},
		{"access_log_max_mb", s.AccessLogMaxMB, 64, 1 << 20},
		{"access_log_max_days", s.AccessLogMaxDays, 1, 3650},
	} {
		if f.value != nil && (*f.value < f.least || *f.value > f.most) {
			p.Add(f.name, "must be between %d and %d", f.least, f.most)
		}
	}
}

func (s *Settings) validateReceiver(p *fault.Problems) {
	for _, f := range []struct {
		name string
		text *string
	}{{"remote_host", &s.RemoteHost}, {"remote_server_name", &s.RemoteServerName}} {
		if *f.text == "" {
			continue
		}
		spelled, err := value.HostOrName(*f.text)
		if err != nil {
			p.AddError(f.name, err)
			continue
		}
		*f.text = spelled
	}
	if s.RemoteEnabled && s.RemoteHost == "" {
		p.Add("remote_host", "must be set to send log entries")
	}
	if authorities, err := spellCA(s.RemoteCA); err != nil {
		p.AddError("remote_ca", err)
	} else {
		s.RemoteCA = authorities
	}
	if !slices.Contains(logship.Levels(), s.RemoteLevel) {
		p.Add("remote_level", "must be debug, info, warn or error")
	}
	if s.RemotePort < 1 || s.RemotePort > 65535 {
		p.Add("remote_port", "must be between %d and %d", 1, 65535)
	}
	units := make([]string, 0, len(s.RemoteUnits)) // never nil: a list of none is [] in JSON and in a row
	for i, u := range s.RemoteUnits {
		at := fmt.Sprintf("remote_units[%d]", i)
		switch {
		case !logship.IsUnit(u):
			p.Add(at, "must be the name of a systemd service, such as gateway-api.service")
		case slices.Contains(units, u):
			p.Add(at, "is a duplicate")
		}
		units = append(units, u)
	}
	s.RemoteUnits = units
}

// maxAuthorities is more than anybody needs, who names his own.
const maxAuthorities = 20

// spellCA is certificates in PEM and nothing else: what is written around them reaches no file.
func spellCA(text string) (string, error) {
	rest, out, n := []byte(text), []byte{}, 0
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return "", fault.Say("must contain only certificates")
		}
		if n++; n > maxAuthorities {
			return "", fault.Say("must not have more than %d certificates", maxAuthorities)
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return "", fault.Say("has a certificate (number %d) that cannot be read", n)
		}
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: block.Bytes})...)
	}
	if len(bytes.TrimSpace(rest)) > 0 {
		return "", fault.Say("must be certificates in PEM: -----BEGIN CERTIFICATE-----")
	}
	return string(out), nil
}
