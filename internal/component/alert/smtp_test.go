package alert

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"
)

// mailbox is a mail server of the test: enough of SMTP for one letter after the other.
type mailbox struct {
	net.Listener
	tls    *tls.Config // nil: it offers no STARTTLS
	user   string      // that must sign in as "user\x00password"; empty: nobody need
	mu     sync.Mutex
	got    []envelope
	refuse bool
}

type envelope struct {
	from, helo string
	to         []string
	text       string
	encrypted  bool
	user       string
}

func newMailbox(t testing.TB, config *tls.Config) *mailbox {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mailbox{Listener: l, tls: config}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go m.serve(conn)
		}
	}()
	return m
}

func (m *mailbox) port() int { return m.Addr().(*net.TCPAddr).Port }

func (m *mailbox) letters() []envelope {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]envelope{}, m.got...)
}

func (m *mailbox) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	say := func(lines ...string) { _, _ = io.WriteString(conn, strings.Join(lines, "\r\n")+"\r\n") }
	var e envelope
	say("220 ready")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch strings.ToUpper(word) {
		case "EHLO":
			e.helo = rest
			offers := []string{"250-here"}
			if m.tls != nil && !e.encrypted {
				offers = append(offers, "250-STARTTLS")
			}
			say(append(offers, "250 AUTH PLAIN")...)
		case "STARTTLS":
			say("220 go")
			conn = tls.Server(conn, m.tls)
			in = bufio.NewReader(conn)
			e.encrypted = true
		case "AUTH":
			text, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			if e.user = strings.TrimPrefix(string(text), "\x00"); e.user != m.user {
				say("535 no")
				continue
			}
			say("235 yes")
		case "MAIL":
			e.from = rest
			say("250 ok")
		case "RCPT":
			e.to = append(e.to, rest)
			say("250 ok")
		case "DATA":
			say("354 go")
			e.text = upToDot(in)
			if m.refuse {
				say("554 no")
				continue
			}
			m.mu.Lock()
			m.got = append(m.got, e)
			m.mu.Unlock()
			say("250 ok")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("500 what")
		}
	}
}

func upToDot(in *bufio.Reader) string {
	var b strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil || line == ".\r\n" {
			return b.String()
		}
		b.WriteString(strings.TrimPrefix(line, "."))
	}
}

// trusted is a certificate for 127.0.0.1, and whoever trusts it.
func trusted(t testing.TB) (server *tls.Config, roots *x509.CertPool) {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	roots = x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, roots
}

// shows ALERT-10
func TestALetterArrivesWithAndWithoutTLS(t *testing.T) {
	config, roots := trusted(t)
	for _, tc := range []struct {
		name      string
		tls       *tls.Config
		settings  body
		encrypted bool
	}{
		{"in plain text", nil, body{}, false},
		{"in plain text, though it is offered", config, body{}, false},
		{"by STARTTLS", config, body{"use_tls": true, "username": "gw", "password": "pass"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			r.a.Outside.Transport = func() (*http.Transport, error) {
				return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}, nil
			}
			box := newMailbox(t, tc.tls)
			box.user = "gw\x00pass"
			settings := body{"smtp_host": "127.0.0.1", "smtp_port": box.port(), "from": "gw@example.com"}
			for k, v := range tc.settings {
				settings[k] = v
			}
			r.channel(body{"kind": "email", "target": "ops@example.com, boss@example.com", "settings": settings})
			r.last(down("shöp\r\nBcc: x"))
			r.deliver()
			got := box.letters()
			if len(got) != 1 || got[0].encrypted != tc.encrypted || len(got[0].to) != 2 || got[0].helo != "gw1" {
				t.Fatalf("%+v arrived, events %+v, want one letter", got, r.events())
			}
			letter, err := mail.ReadMessage(strings.NewReader(got[0].text))
			if err != nil {
				t.Fatal(err)
			}
			subject, err := new(mime.WordDecoder).DecodeHeader(letter.Header.Get("Subject"))
			if want := "[gw1] error: All servers of shöp\uFFFD\uFFFDBcc: x are down"; err != nil || subject != want {
				t.Errorf("subject %q, want %q", subject, want)
			}
			if letter.Header.Get("Bcc") != "" || !strings.HasSuffix(letter.Header.Get("Message-ID"), "@gw1>") {
				t.Errorf("headers %v", letter.Header)
			}
		})
	}
}

func TestAMailServerThatSaysNo(t *testing.T) {
	config, _ := trusted(t)
	for _, tc := range []struct {
		name, want string
		tls        *tls.Config
		settings   body
		refuse     bool
	}{
		{"it has no STARTTLS", "the mail server does not offer STARTTLS", nil, body{"use_tls": true}, false},
		{"nobody vouches for it", "no TLS connection to the receiver: its certificate is not trusted, or it does not offer TLS", config, body{"use_tls": true}, false},
		{"it refuses the letter", "the mail server rejected the message", nil, body{}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			box := newMailbox(t, tc.tls)
			box.refuse = tc.refuse
			settings := body{"smtp_host": "127.0.0.1", "smtp_port": box.port(), "from": "gw@example.com"}
			for k, v := range tc.settings {
				settings[k] = v
			}
			r.channel(body{"kind": "email", "target": "ops@example.com", "settings": settings})
			r.last(down("shop"))
			r.deliver()
			sent := r.events()[0].SentTo
			if len(sent) != 1 || sent[0].Result != "error" || sent[0].Error == nil || sent[0].Error.Message != tc.want {
				t.Errorf("sent to %s, want the error %q", fmt.Sprintf("%+v", sent), tc.want)
			}
		})
	}
}
