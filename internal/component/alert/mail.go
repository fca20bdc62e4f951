package alert

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/smtp"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"gateway/internal/fault"
	"gateway/internal/value"
)

// smtpsPort is where TLS begins with the connection.
const smtpsPort = 465

// mail sends one message by SMTP.
func (a *Alerts) mail(ctx context.Context, m message) error {
	to, err := recipients(m.target)
	if err != nil {
		return fault.Say("the channel has no valid e-mail address")
	}
	text, err := a.letter(m, to)
	if err != nil {
		return err
	}
	client, err := a.connect(ctx, m)
	if err != nil {
		return err
	}
	defer client.Close()
	if user := m.settings.Username; user != "" {
		if err := client.Auth(smtp.PlainAuth("", user, m.secrets["password"], m.settings.SMTPHost)); err != nil {
			return rejected(err, fault.Say("the mail server rejected the account"))
		}
	}
	if err := hand(client, m.settings.From, to, text); err != nil {
		return rejected(err, fault.Say("the mail server rejected the message"))
	}
	_ = client.Quit() // it has the message
	return nil
}

// mostMail is what a mail server may say, TLS included. The lines of SMTP have no bound by themselves.
const mostMail = 256 << 10

// limited is a connection that gives so many bytes.
type limited struct {
	net.Conn
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fault.Say("the mail server said too much")
	}
	n, err := l.Conn.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// connect greets the server, over TLS where that is wanted.
func (a *Alerts) connect(ctx context.Context, m message) (*smtp.Client, error) {
	set := m.settings
	conn, err := a.Outside.Dial(ctx, "tcp", net.JoinHostPort(set.SMTPHost, strconv.Itoa(set.SMTPPort)))
	if err != nil {
		return nil, fmt.Errorf("connect to the mail server: %w", err)
	}
	if end, is := ctx.Deadline(); is {
		_ = conn.SetDeadline(end) // a connection that is not open says so at the first byte
	}
	conn = &limited{Conn: conn, left: mostMail}
	transport, err := a.transport()
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	config := &tls.Config{ServerName: set.SMTPHost, MinVersion: tls.VersionTLS12}
	if transport.TLSClientConfig != nil {
		config.RootCAs = transport.TLSClientConfig.RootCAs
	}
	if set.SMTPPort == smtpsPort {
		conn = tls.Client(conn, config)
	}
	client, err := smtp.NewClient(conn, set.SMTPHost)
	if err != nil {
		_ = conn.Close()
		return nil, rejected(err, fault.Say("the mail server rejected the connection"))
	}
	if err := greet(client, m, config); err != nil {
		_ = client.Close()
		return nil, err
	}
	return client, nil
}

func greet(client *smtp.Client, m message, config *tls.Config) error {
	if err := client.Hello(heloName(m.node)); err != nil {
		return rejected(err, fault.Say("the mail server rejected the connection"))
	}
	if !m.settings.UseTLS || m.settings.SMTPPort == smtpsPort {
		return nil
	}
	if ok, _ := client.Extension("STARTTLS"); !ok {
		return fault.Say("the mail server does not offer STARTTLS")
	}
	if err := client.StartTLS(config); err != nil {
		return rejected(err, fault.Say("the mail server rejected STARTTLS"))
	}
	return nil
}

// heloName is a host name that SMTP takes.
func heloName(node string) string {
	if name, err := value.HostName(node); err == nil {
		return name
	}
	return "localhost"
}

// rejected tells an answer of the server from a lost connection.
func rejected(err, said error) error {
	var answer *textproto.Error
	if errors.As(err, &answer) {
		return errors.Join(said, err)
	}
	return err
}

func hand(client *smtp.Client, from string, to []string, text []byte) error {
	if err := client.Mail(from); err != nil {
		return err
	}
	for _, one := range to {
		if err := client.Rcpt(one); err != nil {
			return err
		}
	}
	w, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	return w.Close()
}

// letter is the message with its headers. What others chose is encoded, or refused: no value becomes a header.
func (a *Alerts) letter(m message, to []string) ([]byte, error) {
	from, err := address(m.settings.From)
	if err != nil {
		return nil, fault.Say("the channel has no valid sender")
	}
	var b bytes.Buffer
	line := func(name, text string) { _, _ = fmt.Fprintf(&b, "%s: %s\r\n", name, text) }
	line("From", from)
	line("To", strings.Join(to, ", "))
	line("Subject", mime.QEncoding.Encode("utf-8", cut(value.Visible(m.title()), 200)))
	line("Date", m.FiredAt.UTC().Format(time.RFC1123Z))
	line("Message-ID", "<"+m.ID+"@"+heloName(m.node)+">")
	line("Auto-Submitted", "auto-generated")
	line("MIME-Version", "1.0")
	line("Content-Type", "text/plain; charset=utf-8")
	line("Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	_, _ = fmt.Fprintf(w, "%s\n\nKind: %s\nSeverity: %s\nSubject: %s\nNode: %s\nTime: %s\n", m.text(), m.Kind, m.Severity, m.Subject, m.node, m.FiredAt.UTC().Format(time.RFC3339))
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encode the message: %w", err)
	}
	return b.Bytes(), nil
}
