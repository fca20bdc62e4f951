package diag

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/miekg/dns"

	"gateway/internal/component/diag/probe"
	"gateway/internal/fault"
	"gateway/internal/value"
)

// TargetInput is whom to reach.
type TargetInput struct {
	Target string `json:"target" minLength:"1" maxLength:"253" doc:"Host name or IP address" example:"www.example.com"`
}

// DigInput is what to look up.
type DigInput struct {
	Target string `json:"target" minLength:"1" maxLength:"253" doc:"Name to look up; for PTR also an IP address" example:"www.example.com"`
	Type   string `json:"type" enum:"A,AAAA,CNAME,MX,TXT,NS,SOA,PTR,SRV,CAA" default:"A" doc:"Record type"`
}

// URLInput is what to request.
type URLInput struct {
	Target string `json:"target" minLength:"1" maxLength:"1024" doc:"URL, http or https" example:"https://www.example.com/"`
}

// TCPInput is what to connect to.
type TCPInput struct {
	Target string `json:"target" minLength:"1" maxLength:"253" doc:"Host name or IP address" example:"www.example.com"`
	Port   int    `json:"port" minimum:"1" maximum:"65535" doc:"TCP port" example:"443"`
}

var allowed = regexp.MustCompile(`^[A-Za-z0-9.:/_-]+$`)

// checked is a target in its one form: its characters are judged first, then what it is.
func checked(target string, parse func(string) (string, error)) (string, error) {
	var p fault.Problems
	if !allowed.MatchString(target) {
		p.Add("target", "must consist of letters, digits and the characters . : / _ -")
		return "", p.Err()
	}
	parsed, err := parse(target)
	if err != nil {
		p.AddError("target", err)
	}
	return parsed, p.Err()
}

func (in TargetInput) question(tool string) (probe.Question, error) {
	target, err := checked(in.Target, value.HostOrName)
	return probe.Question{Tool: tool, Target: target}, err
}

func (in TCPInput) question() (probe.Question, error) {
	target, err := checked(in.Target, value.HostOrName)
	return probe.Question{Tool: "tcp", Target: target, Port: in.Port}, err
}

func (in DigInput) question() (probe.Question, error) {
	target, err := checked(in.Target, func(s string) (string, error) {
		if _, err := netip.ParseAddr(s); err == nil {
			return s, nil
		}
		// Names of records are wider than names of hosts, but no option and no URL is one.
		if _, ok := dns.IsDomainName(s); !ok || s[0] == '-' || s[0] == '/' || strings.Contains(s, ":") {
			return "", fault.Say("must be a name that can be looked up")
		}
		return s, nil
	})
	return probe.Question{Tool: "dig", Target: target, Type: in.Type}, err
}

func (in URLInput) question() (probe.Question, error) {
	target, err := checked(in.Target, webAddress)
	return probe.Question{Tool: "curl", Target: target}, err
}

// webAddress is a URL of the two schemes, with a host in its one form.
func webAddress(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" {
		return "", fault.Say("must be a URL that starts with http:// or https://")
	}
	host, err := value.HostOrName(u.Hostname())
	if err != nil {
		return "", err
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "", fault.Say("must be a URL that starts with http:// or https://")
		}
		host = net.JoinHostPort(host, port)
	}
	u.Host = host
	return u.String(), nil
}
