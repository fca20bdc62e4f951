// Package sshtest runs Debian 13's OpenSSH server for tests that upload by SFTP. What is uploaded is left to the
// test. It is imported by tests only.
package sshtest

import (
	"bytes"
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"gateway/lab"
)

// The user that every server has.
const (
	User     = "keeper"
	Password = "only-for-tests-4c7e"
	UID      = 1500
)

// Options say what kind of server it is.
type Options struct {
	Room string // the user's folder is a disk that large, such as "8m"; empty: as the machine's
	At   Place  // where it runs; nil: on this machine
}

// Place is a machine of a lab, such as a lab.Client.
type Place interface {
	IP() netip.Addr
	HostCommand(ctx context.Context, command ...string) (*exec.Cmd, error)
	DialContext(ctx context.Context, network, addr string) (net.Conn, error)
}

// here is this machine.
type here struct{}

func (here) IP() netip.Addr { return netip.AddrFrom4([4]byte{127, 0, 0, 1}) }

func (here) HostCommand(_ context.Context, command ...string) (*exec.Cmd, error) {
	return exec.Command(command[0], command[1:]...), nil
}

func (here) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, addr)
}

// Server is an sshd with one user, who has SFTP.
type Server struct {
	Host       string
	Port       int
	PrivateKey string // of the user, in OpenSSH's form and base64
	// Fingerprints are those of the host keys: "ed25519", "ecdsa" and "rsa".
	Fingerprints map[string]string

	t   testing.TB
	dir string
	cmd *exec.Cmd
	log log
}

// log is what the server says, which is read while it speaks.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// inside runs sshd in the folder $1, for the user $2 with the password $3, whose folder is a disk of size $4 unless
// that is empty, and whose number is $5. /etc is not to be written to, so what is added to it lies over it.
const inside = `set -e
cd "$1"
cp /etc/passwd /etc/shadow .
echo "$2:x:$5:$5::$1/home:/bin/sh" >>passwd
echo "$2:$(openssl passwd -6 "$3"):20000:0:99999:7:::" >>shadow
mount --bind passwd /etc/passwd
mount --bind shadow /etc/shadow
mount -t tmpfs tmpfs /run
mkdir -m 755 /run/sshd
if [ -n "$4" ]; then mount -t tmpfs -o "size=$4" tmpfs "$1/home"; fi
chown "$5:$5" "$1/home"
exec /usr/sbin/sshd -D -e -f "$1/sshd_config"`

const config = `ListenAddress %[2]s
%[3]sAuthorizedKeysFile %[1]s/authorized_keys
PidFile none
UsePAM no
UseDNS no
StrictModes no
PasswordAuthentication yes
KbdInteractiveAuthentication no
AllowUsers %[4]s
Subsystem sftp internal-sftp
LogLevel DEBUG1
MaxStartups 100
PerSourcePenalties no
`

// New starts one.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	// Not in t.TempDir: the server sees the host's /tmp, wherever temporary files are.
	dir, err := os.MkdirTemp("/tmp", "sshd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	at := cmp.Or[Place](o.At, here{})
	s := &Server{t: t, dir: dir, Host: at.IP().String(), Port: 2222, Fingerprints: map[string]string{}}
	if _, shared := at.(here); shared {
		s.Port = free(t)
	}
	s.prepare()
	argv := lab.InRootWith(t, lab.OpenSSH, "sh", "-c", inside, "sh", dir, User, Password, o.Room, strconv.Itoa(UID))
	s.cmd, err = at.HostCommand(context.WithoutCancel(t.Context()), argv...)
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	s.await(at)
	return s
}

func (s *Server) end() {
	if s.cmd.Cancel != nil {
		_ = s.cmd.Cancel()
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	if s.t.Failed() {
		lines := strings.Split(s.log.String(), "\n")
		s.t.Logf("sshd said, last:\n%s", strings.Join(lines[max(0, len(lines)-25):], "\n"))
	}
}

func free(t testing.TB) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}

// prepare writes the keys, the configuration and the user's folder.
func (s *Server) prepare() {
	s.t.Helper()
	if err := os.Chmod(s.dir, 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(s.dir, "home"), 0o755); err != nil {
		s.t.Fatal(err)
	}
	var keys strings.Builder
	for kind, key := range s.hostKeys() {
		file := filepath.Join(s.dir, "host_"+kind)
		private, public := s.pair(key)
		s.write(file, private, 0o600)
		s.Fingerprints[kind] = ssh.FingerprintSHA256(public)
		fmt.Fprintf(&keys, "HostKey %s\n", file)
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	private, public := s.pair(key)
	s.PrivateKey = base64.StdEncoding.EncodeToString(private)
	s.write(filepath.Join(s.dir, "authorized_keys"), ssh.MarshalAuthorizedKey(public), 0o644)
	listen := net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
	s.write(filepath.Join(s.dir, "sshd_config"), fmt.Appendf(nil, config, s.dir, listen, keys.String(), User), 0o644)
}

func (s *Server) hostKeys() map[string]crypto.Signer {
	s.t.Helper()
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		s.t.Fatal(err)
	}
	return map[string]crypto.Signer{"ed25519": ed, "ecdsa": ec, "rsa": rs}
}

func (s *Server) pair(key crypto.Signer) (private []byte, public ssh.PublicKey) {
	s.t.Helper()
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		s.t.Fatal(err)
	}
	public, err = ssh.NewPublicKey(key.Public())
	if err != nil {
		s.t.Fatal(err)
	}
	return pem.EncodeToMemory(block), public
}

func (s *Server) write(file string, text []byte, mode os.FileMode) {
	s.t.Helper()
	if err := os.WriteFile(file, text, mode); err != nil {
		s.t.Fatal(err)
	}
}

func (s *Server) await(at Place) {
	s.t.Helper()
	deadline := time.After(time.Minute)
	for {
		conn, err := at.DialContext(s.t.Context(), "tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-deadline:
			s.t.Fatalf("sshd does not answer: %v\n%s", err, s.log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Folder is the user's, as it is seen from outside.
func (s *Server) Folder() string {
	return filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), "root", s.dir, "home")
}

// Logins is how many times somebody told the server who he is, rightly or not.
func (s *Server) Logins() int { return strings.Count(s.log.String(), "userauth-request for user") }
