package offsite

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

const sshPort = 22

// hostKeys are the kinds of host keys, best first. A server that has several shows the first that we ask for, so one
// that is pinned is looked for among all of them.
var hostKeys = [][]string{
	{ssh.KeyAlgoED25519},
	{ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521},
	{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256},
}

// folder is a folder of a server that is spoken to.
type folder struct {
	dir   string
	conn  *moving
	ssh   *ssh.Client
	files *sftp.Client
	seen  *Result
	deps  Deps
	stop  func() bool // of the watch over the caller's patience
}

func openSFTP(ctx context.Context, s SFTP, d Deps, seen *Result) (store, error) {
	auth, err := s.auth()
	if err != nil {
		return nil, err
	}
	f := &folder{dir: cmp.Or(s.Dir, "."), deps: d, seen: seen}
	if err := f.connect(ctx, s, auth); err != nil {
		return nil, err
	}
	f.stop = context.AfterFunc(ctx, func() { _ = f.conn.Close() })
	f.files, err = sftp.NewClient(f.ssh, sftp.UseConcurrentWrites(true))
	if err != nil {
		f.close()
		if f.cut() {
			return nil, f.explain(err)
		}
		return nil, fail(CodeNoSFTP, nil, err)
	}
	return f, nil
}

// connect shows itself to a server with the pinned key, or with any if none is pinned, and to nobody else: a server
// with another key gets no user name, no password and no signature.
func (f *folder) connect(ctx context.Context, s SFTP, auth []ssh.AuthMethod) error {
	if s.Fingerprint == "" {
		var all []string
		for _, kind := range hostKeys {
			all = append(all, kind...)
		}
		return f.handshake(ctx, s, auth, all)
	}
	var changed error
	for _, kind := range hostKeys {
		err := f.handshake(ctx, s, auth, kind)
		switch code, _ := CodeOf(err); {
		case code == CodeHostKey:
			changed = cmp.Or(changed, err)
		case lacksHostKey(err):
		default:
			return err
		}
	}
	if changed == nil { // it has none that we know
		changed = fail(CodeHostKey, map[string]string{"expected": s.Fingerprint, "seen": ""}, nil)
	}
	return changed
}

func lacksHostKey(err error) bool {
	var lacks *ssh.AlgorithmNegotiationError
	return errors.As(err, &lacks) && lacks.What == "host key"
}

// hostKey is what a server must show: the pinned key, else always the same. It is asked for again in a long session.
type hostKey struct {
	mu       sync.Mutex
	expected string
	seen     string
	refused  *Error
}

func (h *hostKey) check(_ string, _ net.Addr, key ssh.PublicKey) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = ssh.FingerprintSHA256(key)
	h.expected = cmp.Or(h.expected, h.seen)
	if h.seen != h.expected {
		h.refused = fail(CodeHostKey, map[string]string{"expected": h.expected, "seen": h.seen}, nil)
		return h.refused
	}
	return nil
}

func (f *folder) handshake(ctx context.Context, s SFTP, auth []ssh.AuthMethod, kinds []string) error {
	address := net.JoinHostPort(strings.Trim(s.Host, "[]"), strconv.Itoa(cmp.Or(s.Port, sshPort)))
	conn, err := f.deps.dial(ctx, address)
	if err != nil {
		return network(err, s.Host)
	}
	conn.most = mostReceived
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	host := &hostKey{expected: s.Fingerprint}
	f.conn = conn
	c, channels, requests, err := ssh.NewClientConn(conn, address, &ssh.ClientConfig{
		User: s.User, Auth: auth, HostKeyAlgorithms: kinds, HostKeyCallback: host.check,
	})
	host.mu.Lock()
	defer host.mu.Unlock()
	f.seen.Fingerprint = cmp.Or(host.seen, f.seen.Fingerprint)
	if err == nil {
		f.ssh = ssh.NewClient(c, channels, requests)
		return nil
	}
	_ = conn.Close()
	return f.unwelcome(err, host)
}

// unwelcome is the code of a session that did not begin.
func (f *folder) unwelcome(err error, host *hostKey) *Error {
	var lacks *ssh.AlgorithmNegotiationError
	switch {
	case host.refused != nil:
		return host.refused
	case errors.As(err, &lacks):
		return fail(CodeAlgorithms, nil, err)
	case host.seen != "" && !f.conn.stalled.Load() && !isBroken(err): // it was told who we are, and ended it in good order
		return fail(CodeCredentials, nil, err)
	}
	return f.explain(err)
}

// auth is how the user is shown to be himself.
func (s SFTP) auth() ([]ssh.AuthMethod, error) {
	var out []ssh.AuthMethod
	if s.PrivateKey != "" {
		signer, err := signer(s.PrivateKey.Reveal())
		if err != nil {
			return nil, fail(CodePrivateKey, nil, err)
		}
		out = append(out, ssh.PublicKeys(signer))
	}
	if s.Password != "" {
		// Servers that leave it to PAM ask for the password as one of many questions.
		answer := func(_, _ string, questions []string, echo []bool) ([]string, error) {
			if len(questions) > 1 || len(questions) == 1 && echo[0] {
				return nil, errors.New("the server asks for more than a password")
			}
			return []string{s.Password.Reveal()}[:len(questions)], nil
		}
		out = append(out, ssh.Password(s.Password.Reveal()), ssh.KeyboardInteractive(answer))
	}
	if len(out) == 0 || s.User == "" || s.Host == "" {
		return nil, fail(CodeSettings, nil, errors.New("no host, no user, or neither password nor private key"))
	}
	return out, nil
}

// signer reads a private key, plain or in base64. Its errors say nothing of the key.
func signer(text string) (ssh.Signer, error) {
	if !strings.Contains(text, "-----BEGIN") {
		plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return nil, errors.New("it is neither in OpenSSH's form nor in base64")
		}
		text = string(plain)
	}
	key, err := ssh.ParsePrivateKey([]byte(text))
	var locked *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &locked):
		return nil, errors.New("it has a passphrase")
	case err != nil:
		return nil, errors.New("it cannot be read")
	}
	return key, nil
}

func (f *folder) close() {
	f.stop()
	if f.files != nil {
		_ = f.files.Close()
	}
	_ = f.ssh.Close()
}

// cut reports whether the connection has ended, or hangs.
func (f *folder) cut() bool { return f.conn.stalled.Load() || f.conn.broken.Load() }

// explain is the code of what went wrong on the connection: the libraries above it only know that it is gone.
func (f *folder) explain(err error) *Error {
	switch {
	case f.conn.stalled.Load():
		return fail(CodeTimeout, nil, err)
	case f.conn.broken.Load():
		return fail(CodeInterrupted, nil, err)
	}
	return network(err, "")
}
