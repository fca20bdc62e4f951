// Package logship is what the sender of log lines, gateway-logship, shares with those who configure it and
// watch it: its configuration file, the file in which it says how it is doing, and the form of a
// line on the wire. Reading the journal and speaking to the receiver is left to package ship.
package logship

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/value"
)

const (
	// Unit is the sender's.
	Unit = "gateway-logship.service"
	// ConfFile and CAFile are what it reads; CAFile is there only where Config.OwnCA says so.
	ConfFile = "/etc/gateway/logs/ship.conf"
	CAFile   = "/etc/gateway/logs/ca.pem"
	// StatusFile is what it writes for everybody to read, and StateDir where it remembers how far it came.
	StatusFile = "/run/gateway-logship/status.json"
	StateDir   = "/var/lib/gateway-logship"
)

// Config is what the sender is told. A Host that is empty is none: then it waits.
type Config struct {
	Host       string
	Port       int
	ServerName string // expected in the certificate; empty for Host
	OwnCA      bool   // only the authorities in CAFile are trusted, else the system's
	Level      string // this one and worse: debug, info, warn or error
	Units      []string
	// AccessLog is the journal namespace of the access log, where that is sent too.
	AccessLog string
}

// Levels are those of journal.Level.
func Levels() []string { return []string{"debug", "info", "warn", "error"} }

var (
	unitShape      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.@:-]{0,199}\.service$`)
	namespaceShape = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)
)

// IsUnit reports whether a text is the name of a service: no path, no pattern, no option.
func IsUnit(s string) bool { return unitShape.MatchString(s) }

// Address is where the receiver is.
func (c Config) Address() string { return net.JoinHostPort(c.Host, strconv.Itoa(c.Port)) }

// Text is the configuration file: a name and a value in each line.
func (c Config) Text() []byte {
	var b strings.Builder
	line := func(name, v string) { fmt.Fprintf(&b, "%s=%s\n", name, v) }
	line("host", c.Host)
	line("port", strconv.Itoa(c.Port))
	line("server_name", c.ServerName)
	line("ca", map[bool]string{true: "own", false: "system"}[c.OwnCA])
	line("level", c.Level)
	for _, u := range c.Units {
		line("unit", u)
	}
	line("access_log", c.AccessLog)
	return []byte(b.String())
}

// ParseConfig reads the file back, and takes nothing that Text would not write of good values.
func ParseConfig(text []byte) (Config, error) {
	var c Config
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, v, found := strings.Cut(line, "=")
		if !found {
			return Config{}, fmt.Errorf("%q is no setting", line)
		}
		if err := c.set(name, v); err != nil {
			return Config{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return c, nil
}

func (c *Config) set(name, v string) (err error) {
	wrong := func(ok bool) error {
		if ok {
			return nil
		}
		return fmt.Errorf("%q is no value for it", v)
	}
	switch name {
	case "host":
		if v != "" {
			c.Host, err = value.HostOrName(v)
		}
	case "port":
		if c.Port, err = strconv.Atoi(v); err == nil {
			err = wrong(c.Port >= 1 && c.Port <= 65535)
		}
	case "server_name":
		if v != "" {
			c.ServerName, err = value.HostOrName(v)
		}
	case "ca":
		c.OwnCA, err = v == "own", wrong(v == "own" || v == "system")
	case "level":
		c.Level, err = v, wrong(slices.Contains(Levels(), v))
	case "unit":
		c.Units, err = append(c.Units, v), wrong(IsUnit(v))
	case "access_log":
		c.AccessLog, err = v, wrong(v == "" || namespaceShape.MatchString(v))
	default:
		err = fmt.Errorf("there is no such setting")
	}
	return err
}
