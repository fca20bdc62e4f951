package haproxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Cert is a certificate as HAProxy holds it in memory.
type Cert struct {
	File     string
	Status   string // Used, Unused or Empty
	Serial   string // hexadecimal
	NotAfter time.Time
	Names    []string // the DNS names it is for
}

// HAProxy changes one certificate at a time; it says so to everybody else.
const certsLocked = "currently locked"

// CertSet puts another certificate and key in the place of those read from file. New
// connections get it; there is no moment without one. Certificates must be changed by one
// caller at a time: HAProxy has a single transaction for all of them.
func (r Runtime) CertSet(ctx context.Context, file string, pem []byte) error {
	if err := checkWords(file); err != nil {
		return err
	}
	lines, err := dense(pem)
	if err != nil {
		return err
	}
	answer, err := r.certStage(ctx, file, lines)
	if err != nil {
		return err
	}
	if strings.Contains(answer, "Transaction created") || strings.Contains(answer, "Transaction updated") {
		if err = r.certSays(ctx, "commit ssl cert "+word(file), "Success!"); err == nil {
			return nil
		}
	} else {
		err = refuse("set ssl cert", answer)
	}
	return errors.Join(err, r.drop(ctx, "abort ssl cert "+word(file)))
}

// certStage prepares a change. One that somebody began and never ended is ended first, or
// no certificate could be changed again.
func (r Runtime) certStage(ctx context.Context, file, lines string) (string, error) {
	load := func() (string, error) { return r.load(ctx, "set ssl cert "+word(file), lines) }
	answer, err := unlocked(ctx, load)
	if err != nil {
		return "", err
	}
	_, rest, stale := strings.Cut(answer, "The ongoing transaction is about '")
	other, _, _ := strings.Cut(rest, "' but ")
	if !stale || checkWords(other) != nil {
		return answer, nil
	}
	if err := r.drop(ctx, "abort ssl cert "+word(other)); err != nil {
		return "", err
	}
	return unlocked(ctx, load)
}

// unlocked asks again while HAProxy is busy with another certificate, which takes it
// milliseconds.
func unlocked(ctx context.Context, ask func() (string, error)) (string, error) {
	for range 200 {
		answer, err := ask()
		if err != nil || !strings.Contains(answer, certsLocked) {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return ask()
}

func (r Runtime) certAsk(ctx context.Context, command string) (string, error) {
	return unlocked(ctx, func() (string, error) { return r.ask(ctx, command) })
}

func (r Runtime) certSays(ctx context.Context, command, phrase string) error {
	answer, err := r.certAsk(ctx, command)
	if err == nil && !strings.Contains(answer, phrase) {
		err = refuse(verb(command), answer)
	}
	return err
}

// dense is a PEM file without what an empty line would end too early.
func dense(pem []byte) (string, error) {
	var b strings.Builder
	for line := range strings.Lines(string(pem)) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	if b.Len() == 0 || strings.ContainsRune(b.String(), 0) {
		return "", errors.New("a certificate without a line is not for HAProxy")
	}
	return b.String(), nil
}

// CertAdd adds a certificate, and an entry for it to a crt-list that the configuration
// reads. Filters are the names that it is served for; none are those in the certificate.
// One that is there already is replaced.
func (r Runtime) CertAdd(ctx context.Context, crtList, file string, pem []byte, filters []string) error {
	if err := checkWords(append([]string{crtList, file}, filters...)...); err != nil {
		return err
	}
	answer, err := r.certAsk(ctx, "new ssl cert "+word(file))
	if err != nil {
		return err
	}
	existed := strings.Contains(answer, "already exists")
	if !existed && !strings.Contains(answer, "New empty certificate store") {
		return refuse("new ssl cert", answer)
	}
	if err = r.CertSet(ctx, file, pem); err == nil {
		err = r.certList(ctx, crtList, file, filters, existed)
	}
	if err != nil && !existed {
		err = errors.Join(err, r.drop(ctx, "del ssl cert "+word(file)))
	}
	return err
}

// certList adds an entry to a crt-list, unless it may be there and is.
func (r Runtime) certList(ctx context.Context, crtList, file string, filters []string, look bool) error {
	if look {
		files, err := r.CrtList(ctx, crtList)
		if err != nil || slices.Contains(files, file) {
			return err
		}
	}
	line := strings.Join(append([]string{file}, filters...), " ")
	answer, err := unlocked(ctx, func() (string, error) { return r.load(ctx, "add ssl crt-list "+word(crtList), line) })
	if err == nil && !strings.Contains(answer, "Success!") {
		err = refuse("add ssl crt-list", answer)
	}
	return err
}

// CertRemove takes a certificate out of a crt-list and out of memory. It is no error when
// it is not there. The first of a list may be refused: HAProxy serves it when no name fits.
func (r Runtime) CertRemove(ctx context.Context, crtList, file string) error {
	if err := checkWords(crtList, file); err != nil {
		return err
	}
	answer, err := r.certAsk(ctx, "del ssl crt-list "+word(crtList)+" "+word(file))
	if err != nil {
		return err
	}
	absent := strings.Contains(answer, "can't be found in crt-list") || strings.Contains(answer, "certificate '"+file+"' does not exist")
	if !absent && !strings.Contains(answer, "' deleted in crtlist '") {
		return refuse("del ssl crt-list", answer)
	}
	answer, err = r.certAsk(ctx, "del ssl cert "+word(file))
	if err == nil && !strings.Contains(answer, "deleted!") && !strings.Contains(answer, "doesn't exist!") {
		err = refuse("del ssl cert", answer)
	}
	return err
}

// CrtList lists the files of a crt-list's entries, in their order.
func (r Runtime) CrtList(ctx context.Context, crtList string) ([]string, error) {
	if err := checkWords(crtList); err != nil {
		return nil, err
	}
	answer, err := r.certAsk(ctx, "show ssl crt-list "+word(crtList))
	if err != nil {
		return nil, err
	}
	lines := strings.Split(answer, "\n")
	if !strings.HasPrefix(lines[0], "# ") {
		return nil, refuse("show ssl crt-list", answer)
	}
	var files []string
	for _, line := range lines[1:] {
		file, _, _ := strings.Cut(line, " ")
		files = append(files, file)
	}
	return files, nil
}

// CertInfo describes a certificate in memory.
func (r Runtime) CertInfo(ctx context.Context, file string) (Cert, error) {
	if err := checkWords(file); err != nil {
		return Cert{}, err
	}
	answer, err := r.certAsk(ctx, "show ssl cert "+word(file))
	if err != nil {
		return Cert{}, err
	}
	return parseCert(answer)
}

func parseCert(answer string) (Cert, error) {
	fields := map[string]string{}
	for line := range strings.Lines(answer) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if _, taken := fields[name]; !taken {
			fields[name] = value
		}
	}
	c := Cert{File: fields["Filename"], Status: fields["Status"], Serial: fields["Serial"]}
	if c.File == "" || c.Status == "" {
		return Cert{}, refuse("show ssl cert", answer)
	}
	for name := range strings.SplitSeq(fields["Subject Alternative Name"], ", ") {
		if name, found := strings.CutPrefix(name, "DNS:"); found {
			c.Names = append(c.Names, name)
		}
	}
	if end := fields["notAfter"]; end != "" {
		t, err := time.Parse("Jan _2 15:04:05 2006 MST", end)
		if err != nil {
			return Cert{}, fmt.Errorf("read the end of %s: %w", c.File, err)
		}
		c.NotAfter = t
	}
	return c, nil
}
