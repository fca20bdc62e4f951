// Package clients speaks the protocols of DNS providers, by one module or package for each. What the
// providers want to know, and what is changed at them, is left to others.
package clients

import (
	"cmp"
	"fmt"
	"net/netip"

	"github.com/libdns/cloudflare"
	"github.com/libdns/desec"
	"github.com/libdns/gandi"
	"github.com/libdns/hetzner/v2"
	"github.com/libdns/ionos"
	"github.com/libdns/netcup"
	"github.com/libdns/porkbun"
	"github.com/libdns/rfc2136"

	"gateway/internal/dnsprovider"
	"gateway/internal/dnsprovider/route53"
)

// Opener makes the clients of providers, which say nothing to them yet. own are this machine's addresses, which nothing
// is sent to where the client is ours.
func Opener(own func() ([]netip.Addr, error)) dnsprovider.Open {
	return func(kind string, settings map[string]string) (dnsprovider.Changer, error) {
		if kind == "route53" {
			return route53.New(own, settings["region"], settings["access_key_id"], settings["secret_access_key"])
		}
		return open(kind, settings)
	}
}

// open makes the client of a provider by the module that there is for it.
func open(kind string, s map[string]string) (dnsprovider.Changer, error) {
	switch kind {
	case "rfc2136":
		return &rfc2136.Provider{Server: dnsprovider.WithPort(s["server"]), KeyName: s["key_name"], KeyAlg: cmp.Or(s["key_algorithm"], "hmac-sha256"), Key: s["key"]}, nil
	case "cloudflare":
		return &cloudflare.Provider{APIToken: s["api_token"]}, nil
	case "desec":
		return &desec.Provider{Token: s["token"]}, nil
	case "gandi":
		return &gandi.Provider{BearerToken: s["bearer_token"]}, nil
	case "hetzner":
		return hetzner.New(s["api_token"]), nil
	case "ionos":
		return &ionos.Provider{AuthAPIToken: s["api_token"]}, nil
	case "netcup":
		return &netcup.Provider{CustomerNumber: s["customer_number"], APIKey: s["api_key"], APIPassword: s["api_password"]}, nil
	case "porkbun":
		return &porkbun.Provider{APIKey: s["api_key"], APISecretKey: s["api_secret_key"]}, nil
	}
	return nil, fmt.Errorf("this version does not support providers of the kind %s", kind)
}
