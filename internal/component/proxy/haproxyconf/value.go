package haproxyconf

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"gateway/internal/fault"
	"gateway/internal/value"
)

// Every value that reaches HAProxy's files passes one of these, when it is stored and once
// more when it is rendered: what a restore brought in was perhaps never judged.

var (
	tokenForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
	pathForm  = regexp.MustCompile(`^/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*$`)
)

// DomainName is a host name, or one for all names directly below another: *.example.com.
func DomainName(s string) (string, error) {
	rest, wildcard := strings.CutPrefix(strings.TrimSpace(s), "*.")
	name, err := value.HostName(rest)
	switch {
	case err != nil:
		return "", err
	case !strings.Contains(name, "."):
		return "", fault.Say("must have at least two labels, as in example.com")
	case wildcard:
		return "*." + name, nil
	}
	return name, nil
}

// HeaderValue is what RFC 9110 lets a field value be, without what is not ASCII.
func HeaderValue(s string) error {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return fault.Say("must be printable ASCII on one line")
		}
	}
	if s != strings.TrimSpace(s) {
		return fault.Say("must not begin or end with a space")
	}
	return nil
}

// ours are the header fields that the proxy or HTTP itself needs as they are.
var ours = []string{
	"connection", "content-length", "transfer-encoding", "upgrade", "keep-alive", "te", "trailer",
	"alt-svc", "strict-transport-security", "date",
}

// HeaderName is the name of a field that an operator may set.
func HeaderName(s string) error {
	if !tokenForm.MatchString(s) {
		return fault.Say("may contain only letters, digits, dashes and underscores, at most 64")
	}
	if slices.Contains(ours, strings.ToLower(s)) {
		return fault.Say("is set by the proxy; see the settings of the domain")
	}
	return nil
}

// URLPath is a path in a request as HAProxy sees it: not decoded.
func URLPath(s string) error {
	if !strings.HasPrefix(s, "/") {
		return fault.Say("must start with /")
	}
	if len(s) > 512 || !pathForm.MatchString(s) {
		return fault.Say("must be the path of a URL, without spaces, ? and #, at most 512 characters")
	}
	return nil
}

// ProxyName is a server's name as HAProxy has it: whitespace and dots become underscores.
func ProxyName(s string) (string, error) {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '.' || r == ' ' || r == '\t':
			b.WriteByte('_')
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_':
			b.WriteRune(r)
		default:
			return "", fault.Say("may contain only letters, digits, dashes, underscores, dots and spaces")
		}
	}
	if b.Len() == 0 || b.Len() > 64 {
		return "", fault.Say("must have 1 to 64 characters")
	}
	if b.String() == "BACKEND" || b.String() == "FRONTEND" {
		return "", fault.Say("must not be BACKEND or FRONTEND, which are reserved names in the statistics")
	}
	return b.String(), nil
}

// Names that lead to the node itself, or to a cloud's metadata, whoever looks them up. Where any other name leads is not
// judged, since HAProxy looks it up whenever it likes.
var (
	ownNames      = []string{"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"}
	metadataNames = []string{"metadata", "metadata.google.internal", "metadata.goog"}
)

func isOneOf(names []string, address string) bool {
	return slices.Contains(names, strings.ToLower(strings.TrimSuffix(address, ".")))
}

// HandsOut reports whether a server's address is one at which clouds give credentials to whoever asks from this node: a site
// would hand them out.
func HandsOut(address string) bool {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return isOneOf(metadataNames, address)
	}
	return slices.ContainsFunc(value.Meanings(addr), func(a netip.Addr) bool { return a.IsLinkLocalUnicast() || value.IsMetadata(a) })
}

// OwnService is what this node itself serves where a server is to be: visitors would reach it from the node, past every rule of
// who may. Empty where it is something else. own are this node's addresses.
func OwnService(address string, port int, own []netip.Addr) string {
	who, taken := value.TakenPorts[port]
	if !taken { // as nearly all: there may be ten thousand servers
		return ""
	}
	mine := func(a netip.Addr) bool { return a.IsLoopback() || a.IsUnspecified() || slices.Contains(own, a) }
	addr, err := netip.ParseAddr(address)
	if err != nil && !isOneOf(ownNames, address) && !strings.HasSuffix(strings.ToLower(strings.TrimSuffix(address, ".")), ".localhost") {
		return ""
	}
	if err == nil && !slices.ContainsFunc(value.Meanings(addr), mine) {
		return ""
	}
	return who
}

// Digest is what HAProxy computes of a request: of the credentials as they are sent, and
// the domain, so that the same password elsewhere has another one.
func Digest(domain, name, password string) string {
	sent := base64.StdEncoding.EncodeToString([]byte(name + ":" + password))
	sum := sha256.Sum256([]byte(sent + "|" + domain))
	return strings.ToUpper(hex.EncodeToString(sum[:]))
}
