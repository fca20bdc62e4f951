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
	dnsMismatch:      "Point the name's A and AAAA records to this node's public address and remove all others; then renew.",
	caaForbids:       "Add a CAA record for this certificate authority, or remove the domain's CAA records; then renew.",
	portUnreachable:  "Make port 80 of the name's address reach this node: check the firewall, port forwarding, and that the proxy is running. Or use the challenge dns-01.",
	rateLimited:      "Wait: the certificate authority's rate limit is reached, and this node retries automatically. Put several names into one certificate instead of ordering one for each.",
	accountLost:      "Nothing to do: the certificate authority no longer knew this node's account; it registers again at the next attempt.",
	validationFailed: "The certificate authority did not find the challenge response. Check that the name reaches this node from the internet over IPv4 and IPv6, then renew.",
	dnsUpdateFailed:  "Check the provider's address and credentials, that it hosts the name's zone, and that they may change TXT records there.",
	acmeUnreachable:  "Check that this node reaches the internet and resolves names, and check the ACME directory URL. Put a private authority's root certificate into /etc/gateway/acme-ca.pem.",
	termsNotAgreed:   "Agree to the terms of service: set terms_agreed in /system/acme.",
	orderFailed:      "The certificate authority rejected the order; the message has its reason. Correct it, then renew.",
	keyMismatch:      "Renew again; if it happens once more, the certificate authority returns certificates for other keys.",
	notServed:        "The certificate is issued, but the proxy serves another one. Check the state of the component cert, and restart HAProxy if it persists.",
	dnsUnanswered:    "Check this node's resolver and the domain's name servers.",
	internalTrouble:  "Internal error of the gateway; see its log (gateway-scheduler). It retries automatically.",
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
	return &trouble{code: internalTrouble, message: "internal error while ordering it", cause: err}
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
	Check   string `json:"check" doc:"What was checked" example:"addresses"`
	Name    string `json:"name" doc:"The name checked; empty: all names"`
	OK      bool   `json:"ok" doc:"Whether the check passed"`
	Code    string `json:"code" doc:"Empty if passed" example:"dns_mismatch"`
	Message string `json:"message" doc:"Result in words"`
	Remedy  string `json:"remedy" doc:"How to fix it; empty if passed"`

	certain bool // ordering would fail, so it is not tried
}
