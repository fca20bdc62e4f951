package cert

import (
	"context"
	"net/http"
	"slices"

	"github.com/libdns/cloudflare"
	"github.com/libdns/desec"
	"github.com/libdns/gandi"
	"github.com/libdns/hetzner/v2"
	"github.com/libdns/ionos"
	"github.com/libdns/libdns"
	"github.com/libdns/netcup"
	"github.com/libdns/porkbun"
	"github.com/libdns/rfc2136"
	"github.com/libdns/route53"

	"gateway/internal/api"
)

// changer is what a provider can do for us.
type changer interface {
	libdns.RecordAppender
	libdns.RecordDeleter
}

// Kind is a kind of provider, and what it wants to know.
type Kind struct {
	Kind     string    `json:"kind" example:"rfc2136"`
	Title    string    `json:"title" doc:"As people call it"`
	Settings []Setting `json:"settings"`

	open func(map[string]string) changer
}

// Setting is one value that a kind of provider wants.
type Setting struct {
	Name     string `json:"name" example:"server"`
	Title    string `json:"title"`
	Required bool   `json:"required"`
	Secret   bool   `json:"secret" doc:"Kept sealed, and answered as ***SET***"`

	server bool // where secrets are sent: with another one they must be given anew
}

func secretSetting(name, title string) Setting {
	return Setting{Name: name, Title: title, Required: true, Secret: true}
}

// kinds are all there are, one line each.
var kinds = []Kind{
	{"rfc2136", "Own name server (RFC 2136)", []Setting{
		{Name: "server", Title: "Address of the primary name server, as 192.0.2.1 or ns.example.com:53", Required: true, server: true},
		{Name: "key_name", Title: "Name of the TSIG key", Required: true},
		{Name: "key_algorithm", Title: "Algorithm of the key; hmac-sha256 unless said otherwise"},
		secretSetting("key", "The key, base64"),
	}, openRFC2136},
	{"cloudflare", "Cloudflare", []Setting{secretSetting("api_token", "API token that may edit the zone's DNS")}, func(s map[string]string) changer {
		return &cloudflare.Provider{APIToken: s["api_token"]}
	}},
	{"desec", "deSEC", []Setting{secretSetting("token", "Token")}, func(s map[string]string) changer {
		return &desec.Provider{Token: s["token"]}
	}},
	{"gandi", "Gandi", []Setting{secretSetting("bearer_token", "Personal access token")}, func(s map[string]string) changer {
		return &gandi.Provider{BearerToken: s["bearer_token"]}
	}},
	{"hetzner", "Hetzner", []Setting{secretSetting("api_token", "API token of the project that holds the zone")}, func(s map[string]string) changer {
		return hetzner.New(s["api_token"])
	}},
	{"ionos", "IONOS", []Setting{secretSetting("api_token", "API key, as prefix.secret")}, func(s map[string]string) changer {
		return &ionos.Provider{AuthAPIToken: s["api_token"]}
	}},
	{"netcup", "netcup", []Setting{
		{Name: "customer_number", Title: "Customer number", Required: true}, secretSetting("api_key", "API key"), secretSetting("api_password", "API password"),
	}, func(s map[string]string) changer {
		return &netcup.Provider{CustomerNumber: s["customer_number"], APIKey: s["api_key"], APIPassword: s["api_password"]}
	}},
	{"porkbun", "Porkbun", []Setting{secretSetting("api_key", "API key"), secretSetting("api_secret_key", "Secret API key")}, func(s map[string]string) changer {
		return &porkbun.Provider{APIKey: s["api_key"], APISecretKey: s["api_secret_key"]}
	}},
	{"route53", "Amazon Route 53", []Setting{
		{Name: "region", Title: "Region; us-east-1 unless said otherwise"},
		{Name: "access_key_id", Title: "Access key id", Required: true},
		secretSetting("secret_access_key", "Secret access key"),
	}, openRoute53},
}

func openRFC2136(s map[string]string) changer {
	algorithm := s["key_algorithm"]
	if algorithm == "" {
		algorithm = "hmac-sha256"
	}
	return &rfc2136.Provider{Server: withPort(s["server"]), KeyName: s["key_name"], KeyAlg: algorithm, Key: s["key"]}
}

func openRoute53(s map[string]string) changer {
	region := s["region"]
	if region == "" {
		region = "us-east-1"
	}
	return &route53.Provider{Region: region, AccessKeyId: s["access_key_id"], SecretAccessKey: s["secret_access_key"]}
}

// kindOf finds a kind by name.
func kindOf(name string) (Kind, bool) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Kind == name })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

func (p *part) kindRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-cert-dns-provider-kinds", Method: http.MethodGet, Path: "/certificates/dns-provider-kinds", Access: api.Viewer, WithoutDatabase: true,
		Summary: "List the kinds of DNS provider, with the settings that each wants",
	}, func(context.Context, *struct{}) (*api.Body[[]Kind], error) { return api.OK(kinds), nil })
}
