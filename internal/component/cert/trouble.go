package cert

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The codes of what can go wrong with a certificate. Each has its remedy below.
const (
	dnsMismatch      = "dns_mismatch"
	caaForbids       = "caa_forbids"
	portUnreachable  = "port_80_unreachable"
	rateLimited      = "rate_limited"
	accountLost      = "account_lost"
	validationFailed = "validation_failed"
	dnsUpdateFailed  = "dns_update_failed"
	acmeUnreachable  = "acme_unreachable"
	termsNotAgreed   = "terms_not_agreed"
	orderFailed      = "order_failed"
	keyMismatch      = "key_mismatch"
	notServed        = "not_served"
	dnsUnanswered    = "dns_unanswered"
	internalTrouble  = "internal"
)

// remedies are what an operator can do, by code.
var remedies = map[string]string{
	dnsMismatch:      "Point the name's A and AAAA records at this node's public address, and remove those that lead elsewhere; then renew.",
	caaForbids:       "Add a CAA record that names this authority, or remove the CAA records of the domain; then renew.",
	portUnreachable:  "Let port 80 of the name's address lead to this node: look at the firewall, at port forwarding, and whether the proxy runs. Or use the challenge dns-01.",
	rateLimited:      "Wait: the authority issues no more for now, and this node tries again by itself. Put several names into one certificate instead of ordering one for each.",
	accountLost:      "Nothing: the authority no longer knew this node, which registers anew at the next attempt.",
	validationFailed: "The authority looked and did not find our answer. See that the name leads here from the internet over IPv4 and IPv6, then renew.",
	dnsUpdateFailed:  "Check the provider's address and credentials, that it holds the name's zone, and that they may change TXT records there.",
	acmeUnreachable:  "Check that this node reaches the internet and resolves names, and the authority's directory address. A private authority's own certificate goes into /etc/gateway/acme-ca.pem.",
	termsNotAgreed:   "Agree to the authority's terms of service: terms_agreed of /system/acme.",
	orderFailed:      "The authority refused the order; its reason is in the message. Change what it complains about, then renew.",
	keyMismatch:      "Renew once more; if it comes again, the authority answers with certificates for other keys.",
	notServed:        "The certificate is issued, but the proxy serves another one. Look at the state of the component cert, and restart haproxy if it stays.",
	dnsUnanswered:    "Check that this node's resolver works, and the name servers of the domain.",
	internalTrouble:  "This is a fault of the gateway; its log (gateway-scheduler) says more. It tries again by itself.",
}

// trouble is a failure that an operator is told.
type trouble struct {
	code    string
	message string
	after   time.Duration // not before, when the other side said so
	cause   error
}

func (t *trouble) Error() string {
	if t.cause == nil {
		return t.message
	}
	return t.message + ": " + t.cause.Error()
}

func (t *trouble) Unwrap() error { return t.cause }

func troubled(code string, cause error, format string, args ...any) *trouble {
	return &trouble{code: code, message: fmt.Sprintf(format, args...), cause: cause}
}

// troubleOf is what there is to tell of an error. Those that nobody foresaw stay in the log.
func troubleOf(err error) *trouble {
	var t *trouble
	if errors.As(err, &t) {
		return t
	}
	return &trouble{code: internalTrouble, message: "the gateway failed to order it", cause: err}
}

// Alert is the news that a certificate could not be got or renewed. It is told once for
// all failures up to the next success.
type Alert struct {
	Certificate string // id
	Name        string // the main one
	Code        string
	Message     string
	Remedy      string
}

// alert is the default of Options.Alert: one line in the log.
func (s *service) alert(ctx context.Context, a Alert) {
	if s.Alert != nil {
		s.Alert(ctx, a)
		return
	}
	s.Log.Error("certificate", "name", a.Name, "code", a.Code, "message", a.Message, "remedy", a.Remedy)
}

// Finding is what one check before ordering found.
type Finding struct {
	Check   string `json:"check" doc:"What was looked at" example:"addresses"`
	Name    string `json:"name" doc:"For which name; empty: for all"`
	OK      bool   `json:"ok"`
	Code    string `json:"code" doc:"Empty when all is well" example:"dns_mismatch"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`

	certain bool // ordering would fail, so it is not tried
}
