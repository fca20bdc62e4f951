package haproxyconf

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"gateway/internal/fault"
	"gateway/internal/sys"
)

const checker = "/usr/sbin/haproxy"

// check has HAProxy judge the staged files. Certificates are none of its business here: it
// is given one made up on the spot, which also spares it reading ten thousand.
func (a *adapter) check(ctx context.Context, dir string) error {
	file := filepath.Join(dir, Path)
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the staged file: %w", err)
	}
	standIn := filepath.Join(dir, "stand-in.pem")
	certificate, err := madeUp()
	if err != nil {
		return err
	}
	staged := strings.NewReplacer(
		"crt-list "+crtList, "crt "+standIn,
		"crt /etc/gateway/tls/management.pem", "crt "+standIn,
		mapsDir, filepath.Join(dir, mapsDir)+"/",
	).Replace(string(data))
	if err := errors.Join(os.WriteFile(standIn, certificate, 0o600), os.WriteFile(file, []byte(staged), 0o600)); err != nil {
		return fmt.Errorf("stage the proxy's files: %w", err)
	}
	res, err := a.Exec(ctx, sys.Command{Path: checker, Args: []string{"-c", "-f", file}, Confined: true, Reads: dir})
	var refusal *sys.ExitError
	if errors.As(err, &refusal) {
		return refused(data, append(res.Stdout, res.Stderr...))
	}
	if err != nil {
		return fmt.Errorf("check the proxy's configuration: %w", err)
	}
	return nil
}

var complaint = regexp.MustCompile(`haproxy\.cfg:([0-9]+)\]`)

// refused points at our own line. What HAProxy says about it is not passed on: such texts
// may quote other files.
func refused(data, said []byte) error {
	if m := complaint.FindSubmatch(said); m != nil {
		lines := bytes.Split(data, []byte("\n"))
		if n, err := strconv.Atoi(string(m[1])); err == nil && n >= 1 && n <= len(lines) {
			return fault.New(fault.Invalid, "HAProxy would reject line %d of its configuration: %s", n, bytes.TrimSpace(lines[n-1])).WithCode("refused_by_haproxy")
		}
	}
	return fault.New(fault.Invalid, "HAProxy would reject its configuration with this change; see the preview").WithCode("refused_by_haproxy")
}

// madeUp is a certificate that nobody will ever be shown.
var madeUp = sync.OnceValues(func() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key to check with: %w", err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(100, 0, 0), DNSNames: []string{"check.invalid"}}
	leaf, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate to check with: %w", err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("write the key to check with: %w", err)
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret})...), nil
})
