package alert

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gateway/internal/fault"
	"gateway/internal/outbound"
)

const (
	// authorities is a file of authorities that are trusted besides the system's, for receivers with a private
	// one. gateway-scheduler must be able to read it.
	authorities = "/etc/gateway/alert-ca.pem"
	// deadline is what a receiver has for one delivery.
	deadline = 15 * time.Second
	// mostAnswer is how much of an answer is read, so that the connection can be used again.
	mostAnswer = 64 << 10
)

func (a *Alerts) outside(o Outside) Outside {
	if o.Transport == nil {
		o.Transport = func() (*http.Transport, error) { return outbound.Transport(a.addresses, authorities) }
	}
	if o.Dial == nil {
		o.Dial = outbound.Dialer(a.addresses).DialContext
	}
	if o.Deadline == 0 {
		o.Deadline = deadline
	}
	if o.Pace == (Pace{}) {
		o.Pace = usualPace()
	}
	return o
}

// post sends one message by HTTP. Only 2xx is delivered; an answer that leads elsewhere is not followed.
func (a *Alerts) post(ctx context.Context, m message) error {
	body, err := json.Marshal(payload(m))
	if err != nil {
		return fmt.Errorf("encode the message: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.target, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make the request: %w", withoutURL(err))
	}
	if err := a.head(req, m, body); err != nil {
		return err
	}
	transport, err := a.transport()
	if err != nil {
		return err
	}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: outbound.NoRedirects}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("send to the webhook: %w", withoutURL(err))
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, mostAnswer))
	if res.StatusCode/100 != 2 {
		return fault.Say("the receiver answered with status %d", res.StatusCode)
	}
	return nil
}

// withoutURL is the error without the address of the webhook, which is often its secret: viewers read the log.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func (a *Alerts) transport() (*http.Transport, error) {
	t, err := a.Outside.Transport()
	if err != nil {
		return nil, errors.Join(fault.Say("the file %s cannot be read by gateway-scheduler, or has no certificate", authorities), err)
	}
	return t, nil
}

// head sets the headers. The id is the same at each attempt.
func (a *Alerts) head(req *http.Request, m message, body []byte) error {
	stamp := strconv.FormatInt(a.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "gateway")
	req.Header.Set("webhook-id", m.ID)
	req.Header.Set("webhook-timestamp", stamp)
	if text := m.secrets["secret"]; text != "" {
		keys, err := signingKeys(text)
		if err != nil {
			return err
		}
		req.Header.Set("webhook-signature", signature(keys, m.ID, stamp, body))
	}
	if token := m.secrets["token"]; token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return nil
}

// signature is that of Standard Webhooks, one for each key.
func signature(keys [][]byte, id, stamp string, body []byte) string {
	out := make([]string, len(keys))
	for i, key := range keys {
		mac := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
		out[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(out, " ")
}

// object is a JSON object.
type object = map[string]any

// payload is what the receiver of a format understands.
func payload(m message) any {
	switch m.settings.Format {
	case slack:
		return object{"text": slackEscape.Replace(m.text())}
	case discord:
		return object{"content": cut(m.text(), mostDiscord), "allowed_mentions": object{"parse": []string{}}}
	case teams:
		return card(m)
	case ntfy:
		return object{"topic": m.settings.Topic, "title": cut(m.title(), mostNtfyTitle), "message": cut(m.text(), mostNtfy), "priority": ntfyPriority(m), "tags": []string{m.Kind}}
	}
	text := m.text()
	return object{
		"id": m.EventID, "state": m.State, "first_id": m.FirstID, "kind": m.Kind, "severity": m.Severity, "subject": m.Subject, "message": m.Message,
		"remedy": m.Remedy, "node": m.node, "content": text, "text": text, "fired_at": m.FiredAt.UTC(),
	}
}

// The limits of those who have some, in characters.
const (
	mostDiscord   = 2000
	mostNtfy      = 1000 // of 4,096 bytes
	mostNtfyTitle = 250
	mostCard      = 4000 // of 28 KB with all that is around it
)

// slackEscape keeps names that others chose from becoming links or mentions.
var slackEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// card is an Adaptive Card in the envelope that Teams Workflows expect.
func card(m message) any {
	colour := map[string]string{"critical": "Attention", "error": "Attention", "warning": "Warning"}[m.Severity]
	if m.over() {
		colour = "Good"
	}
	if colour == "" {
		colour = "Default"
	}
	block := func(text string, more object) object {
		out := object{"type": "TextBlock", "text": cut(markdownEscape.Replace(text), mostCard), "wrap": true}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	body := []object{block(m.title(), object{"weight": "Bolder", "color": colour})}
	if m.Remedy != "" && !m.over() {
		body = append(body, block(m.Remedy, nil))
	}
	facts := []object{{"title": "Node", "value": m.node}, {"title": "Subject", "value": markdownEscape.Replace(m.Subject)}, {"title": "Kind", "value": m.Kind}}
	body = append(body, object{"type": "FactSet", "facts": facts})
	content := object{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": body}
	return object{"type": "message", "attachments": []object{{"contentType": "application/vnd.microsoft.card.adaptive", "content": content}}}
}

var markdownEscape = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "*", `\*`, "_", `\_`)

func ntfyPriority(m message) int {
	if m.over() {
		return 2
	}
	return map[string]int{"critical": 5, "error": 4, "warning": 3}[m.Severity] + map[string]int{"info": 2}[m.Severity]
}

// isTLS reports whether a connection failed by its encryption.
func isTLS(err error) bool {
	var verification *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verification) || errors.As(err, &header) || errors.As(err, &alert)
}
