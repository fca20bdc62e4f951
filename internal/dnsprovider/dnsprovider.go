// Package dnsprovider lists who can change the records of a zone for us, and what each
// wants to know. It knows no provider's protocol: that is left to package clients, which
// only the process that speaks to the outside opens.
package dnsprovider

import (
	"net"
	"net/netip"
	"slices"

	"github.com/libdns/libdns"
)

// Changer changes the records of zones.
type Changer interface {
	libdns.RecordAppender
	libdns.RecordDeleter
}

// Open makes the client of a provider of some kind, from its settings.
type Open func(kind string, settings map[string]string) (Changer, error)

// Kind is a kind of provider, and what it wants to know.
type Kind struct {
	Kind     string    `json:"kind" example:"rfc2136" doc:"Identifier of the kind, for a provider's field kind"`
	Title    string    `json:"title" doc:"Display name"`
	Settings []Setting `json:"settings" doc:"Settings that a provider of this kind has"`
}

// Setting is one value that a kind of provider wants.
type Setting struct {
	Name     string `json:"name" example:"server" doc:"Key in a provider's settings"`
	Title    string `json:"title" doc:"Display name"`
	Required bool   `json:"required" doc:"Whether it must be set"`
	Secret   bool   `json:"secret" doc:"Kept sealed, and answered as ***SET***"`

	// Server is where the secrets are sent: with another one they must be given anew.
	Server bool `json:"-"`
}

func secret(name, title string) Setting {
	return Setting{Name: name, Title: title, Required: true, Secret: true}
}

// Kinds are all there are: one's own name server, then the others by name.
func Kinds() []Kind {
	return []Kind{
		{"rfc2136", "Own name server (RFC 2136)", []Setting{
			{Name: "server", Title: "Address of the primary name server, as 192.0.2.1 or ns.example.com:53", Required: true, Server: true},
			{Name: "key_name", Title: "Name of the TSIG key", Required: true},
			{Name: "key_algorithm", Title: "Algorithm of the key; default hmac-sha256"},
			secret("key", "The key, base64"),
		}},
		{"cloudflare", "Cloudflare", []Setting{secret("api_token", "API token that may edit the zone's DNS")}},
		{"desec", "deSEC", []Setting{secret("token", "Token")}},
		{"gandi", "Gandi", []Setting{secret("bearer_token", "Personal access token")}},
		{"hetzner", "Hetzner", []Setting{secret("api_token", "API token of the project that holds the zone")}},
		{"ionos", "IONOS", []Setting{secret("api_token", "API key, as prefix.secret")}},
		{"netcup", "netcup", []Setting{
			{Name: "customer_number", Title: "Customer number", Required: true}, secret("api_key", "API key"), secret("api_password", "API password"),
		}},
		{"porkbun", "Porkbun", []Setting{secret("api_key", "API key"), secret("api_secret_key", "Secret API key")}},
		{"route53", "Amazon Route 53", []Setting{
			{Name: "region", Title: "Region; default us-east-1"},
			{Name: "access_key_id", Title: "Access key id", Required: true},
			secret("secret_access_key", "Secret access key"),
		}},
	}
}

// WithPort adds the port of name servers to an address that has none.
func WithPort(server string) string {
	if addr, err := netip.ParseAddr(server); err == nil {
		return net.JoinHostPort(addr.String(), "53")
	}
	if _, _, err := net.SplitHostPort(server); err == nil {
		return server
	}
	return net.JoinHostPort(server, "53")
}

// Find finds a kind by name.
func Find(name string) (Kind, bool) {
	all := Kinds()
	i := slices.IndexFunc(all, func(k Kind) bool { return k.Kind == name })
	if i < 0 {
		return Kind{}, false
	}
	return all[i], true
}
