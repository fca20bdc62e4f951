// Package offsite keeps archives on somebody else's machine: an object store that speaks S3, or a server with SFTP.
// An object has its name only when all of it is there. What is kept, for how long and what an operator reads of a
// failure is left to the callers; which addresses may be reached at all, to package outbound.
package offsite

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"gateway/internal/outbound"
	"gateway/internal/secret"
)

// The kinds of targets.
const (
	KindS3   = "s3"
	KindSFTP = "sftp"
)

// Authorities is a file of authorities that are trusted besides the system's, for object stores with a private one.
const Authorities = "/etc/gateway/backup-ca.pem"

// Target is where archives are kept. Of S3 and SFTP the one that Kind names is used.
type Target struct {
	Kind string
	S3   *S3
	SFTP *SFTP
}

// S3 is a bucket of an object store.
type S3 struct {
	Endpoint  string // host, or host:port
	Region    string // empty: us-east-1
	Bucket    string
	AccessKey string
	SecretKey secret.Text
	Prefix    string // of the names of objects; empty, or folders
	HTTPS     bool
}

// SFTP is a folder of a server.
type SFTP struct {
	Host        string
	Port        int // 0: 22
	User        string
	Password    secret.Text
	PrivateKey  secret.Text // in OpenSSH's form, or that in base64
	Dir         string      // empty: where the server puts the user
	Fingerprint string      // of the host key, "SHA256:..."; empty: the first one is trusted
}

// Deps are what a target is reached with. The zero value of each but Own is the product's.
type Deps struct {
	Own         func() ([]netip.Addr, error) // this machine's addresses
	Authorities string                       // empty: Authorities
	// Stall is how long nothing may move before an upload is given up; one that is slow takes its time.
	Stall time.Duration
	// Retry is the pause before a part is sent again, which doubles.
	Retry time.Duration
	Now   func() time.Time
	// Dial reaches a server; nil: outbound.Dialer of Own. Tests, whose servers are on loopback, have one of their own.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Result is what is known of a target after it was used, also in vain.
type Result struct {
	Fingerprint string // of the host key seen, of SFTP; to be kept after the first success
}

// Object is what a target has.
type Object struct {
	Name     string
	Size     int64
	Modified time.Time
}

// store is a target that is spoken to.
type store interface {
	put(ctx context.Context, name string, size int64, r io.ReaderAt) error
	remove(ctx context.Context, name string) error // what is not there is removed
	list(ctx context.Context) ([]Object, error)
	close()
}

// Put uploads size bytes of r. If it fails the target has no object of that name, or the one that it had, unless
// the answer to the very last request was lost: then it may have all of it.
func (t Target) Put(ctx context.Context, d Deps, name string, size int64, r io.ReaderAt) (Result, error) {
	if !fileName.MatchString(name) {
		return Result{}, fmt.Errorf("%q cannot be the name of an object", name)
	}
	return t.with(ctx, d, func(s store) error { return s.put(ctx, name, size, r) })
}

// Delete removes an object, if there is such a one.
func (t Target) Delete(ctx context.Context, d Deps, name string) error {
	if !fileName.MatchString(name) {
		return fmt.Errorf("%q cannot be the name of an object", name)
	}
	_, err := t.with(ctx, d, func(s store) error { return s.remove(ctx, name) })
	return err
}

// List is what the target has of ours, by name.
func (t Target) List(ctx context.Context, d Deps) ([]Object, error) {
	var out []Object
	_, err := t.with(ctx, d, func(s store) (err error) {
		out, err = s.list(ctx)
		return err
	})
	return out, err
}

// probeSize is what Test uploads.
const probeSize = 1024

// Test uploads a small object, finds it, and removes it.
func (t Target) Test(ctx context.Context, d Deps) (Result, error) {
	content := make([]byte, probeSize)
	_, _ = rand.Read(content) // never fails
	name := probePrefix + rand.Text()
	return t.with(ctx, d, func(s store) error {
		if err := s.put(ctx, name, probeSize, bytes.NewReader(content)); err != nil {
			return err
		}
		return s.remove(ctx, name)
	})
}

func (t Target) with(ctx context.Context, d Deps, do func(store) error) (Result, error) {
	var seen Result
	s, err := t.open(ctx, d.defaults(), &seen)
	if err != nil {
		return seen, classify(ctx, err)
	}
	defer s.close()
	if err := do(s); err != nil {
		return seen, classify(ctx, err)
	}
	return seen, nil
}

func (t Target) open(ctx context.Context, d Deps, seen *Result) (store, error) {
	switch {
	case t.Kind == KindS3 && t.S3 != nil:
		return openS3(*t.S3, d)
	case t.Kind == KindSFTP && t.SFTP != nil:
		return openSFTP(ctx, *t.SFTP, d, seen)
	}
	return nil, fail(CodeSettings, nil, fmt.Errorf("a target of kind %q without settings", t.Kind))
}

func (d Deps) defaults() Deps {
	if d.Authorities == "" {
		d.Authorities = Authorities
	}
	if d.Stall == 0 {
		d.Stall = 2 * time.Minute
	}
	if d.Retry == 0 {
		d.Retry = 2 * time.Second
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Dial == nil {
		d.Dial = outbound.Dialer(d.Own).DialContext
	}
	return d
}
