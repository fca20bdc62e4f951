package pemfiles

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret"
)

const (
	// ListPath is what HAProxy's bind lines read: every certificate with the names it is for.
	ListPath = "/etc/gateway/haproxy/crt-list.txt"
	// Fallback is for names without a certificate; packaging makes it.
	Fallback = "/etc/gateway/tls/fallback.pem"

	folder = "/etc/gateway/haproxy/certs/"
)

func pemPath(id string) string { return folder + id + ".pem" }

// stored is a certificate as the files need it.
type stored struct {
	ID         string
	Names      []string
	IssuedFor  []string
	Chain      string
	PrivateKey []byte
}

// loadStored reads those that there is something to serve of, by name, never by id alone: two
// nodes with the same rows render the same file.
func loadStored(ctx context.Context, q db.DB) ([]stored, error) {
	all, err := db.List[stored](ctx, q, `select id::text, names, issued_names, chain, private_key
		from certificates where chain is not null order by names, id`)
	if err != nil {
		return nil, fmt.Errorf("read certificates: %w", err)
	}
	return all, nil
}

// served is a certificate with its private key, or why that cannot be opened.
type served struct {
	stored
	key    secret.Text
	closed error
}

func load(ctx context.Context, q db.DB, unseal daemon.Unseal) ([]served, error) {
	all, err := loadStored(ctx, q)
	if err != nil {
		return nil, err
	}
	return open(all, unseal), nil
}

func open(all []stored, unseal daemon.Unseal) []served {
	out := make([]served, len(all))
	for i, c := range all {
		out[i].stored = c
		out[i].key, out[i].closed = unseal(c.PrivateKey, KeyPlace(c.ID))
	}
	return out
}

// valid looks at what becomes a file's name and at what stands in it: what a restore brought in
// was perhaps never judged. The rest of a chain is judged where it changed: ten thousand of them take too long for every rendering.
func (c stored) valid() error {
	if err := db.CheckID(c.ID); err != nil {
		return err
	}
	for _, n := range c.Names {
		if parsed, err := ParseName(n); err != nil || parsed != n {
			return fault.Say("it has an invalid name")
		}
	}
	for line := range strings.Lines(c.Chain) {
		if !strings.HasSuffix(line, "\n") || !pemLine(line[:len(line)-1]) {
			return fault.Say("its chain contains something other than certificates")
		}
	}
	return nil
}

func pemLine(s string) bool {
	if s == "-----BEGIN CERTIFICATE-----" || s == "-----END CERTIFICATE-----" {
		return true
	}
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '+' && c != '/' && c != '=' {
			return false
		}
	}
	return s != ""
}

// render puts the list last: whatever part of the files is there, HAProxy can start with it.
func render(all []served) (daemon.Rendering, error) {
	out := daemon.Rendering{Files: make([]daemon.File, 0, len(all)+1)}
	list := []byte(Fallback + "\n")
	closed := 0
	for _, c := range all {
		if err := c.valid(); err != nil {
			out.Problems = append(out.Problems, daemon.Problem{Subject: subject(c.Names), Sentence: fault.SentenceOf(err)})
			continue
		}
		if c.closed != nil {
			closed++
			out.Problems = append(out.Problems, daemon.Problem{
				Subject: subject(c.Names), Sentence: fault.Said("its private key cannot be decrypted with this node's master key; upload or renew the certificate"),
			})
			continue
		}
		line := listLine(c.stored)
		if line == "" {
			continue
		}
		out.Files = append(out.Files, daemon.File{Path: pemPath(c.ID), Mode: 0o600, Data: []byte(c.Chain + c.key.Reveal())})
		list = append(list, line...)
	}
	if closed > 0 && closed == len(all) {
		// A wrong master key must not take TLS away from everybody.
		return daemon.Rendering{}, errors.New("none of the private keys can be decrypted: they were sealed with another master key")
	}
	out.Files = append(out.Files, daemon.File{Path: ListPath, Mode: 0o640, Data: list})
	return out, nil
}

// listLine names the certificate for those wanted names that it was issued for. It is
// empty when there are none: a new one is on its way.
func listLine(c stored) string {
	var b strings.Builder
	b.WriteString(pemPath(c.ID))
	served := 0
	for _, n := range c.Names {
		if !Among(c.IssuedFor, n) {
			continue
		}
		served++
		b.WriteString(" " + n)
	}
	if served == 0 {
		return ""
	}
	return b.String() + "\n"
}

// Among reports whether a certificate with these names is good for one.
func Among(issued []string, name string) bool {
	if slices.Contains(issued, name) {
		return true
	}
	_, parent, ok := strings.Cut(name, ".")
	return ok && !Wildcard(name) && slices.Contains(issued, "*."+parent)
}

func subject(names []string) string {
	if len(names) == 0 {
		return "a certificate"
	}
	return "certificate " + names[0]
}
