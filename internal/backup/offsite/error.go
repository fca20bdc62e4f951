package offsite

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"gateway/internal/outbound"
)

// Code says in one word why a target did not do what it was asked. Each has its sentence in the catalogs.
type Code string

// The codes, and the parameters of each.
const (
	CodeSettings    Code = "settings"    // incomplete, or of a form that cannot be used
	CodeAddress     Code = "address"     // address: local or link-local, so nothing is sent there
	CodeName        Code = "name"        // host: its name cannot be resolved
	CodeUnreachable Code = "unreachable" // host
	CodeTimeout     Code = "timeout"     // nothing moved for too long, or there was no time left
	CodeInterrupted Code = "interrupted" // the connection broke in the middle
	CodeStopped     Code = "stopped"     // by us
	CodeTLS         Code = "tls"         // host: its certificate is not trusted, or it does not offer TLS
	CodeHostKey     Code = "host_key"    // expected, seen: fingerprints
	CodeAlgorithms  Code = "algorithms"  // the server and we have no algorithm of SSH in common
	CodeRedirect    Code = "redirect"    // the store leads elsewhere, which is not followed
	CodeCredentials Code = "credentials" // wrong user, password, key
	CodeDenied      Code = "denied"      // known, but not allowed to
	CodePrivateKey  Code = "private_key" // it is not in OpenSSH's form, or has a passphrase
	CodeBucket      Code = "bucket"      // bucket: there is none of that name
	CodeFolder      Code = "folder"      // folder: there is none of that name
	CodeFull        Code = "full"        // no room left, or the quota is used up
	CodeRegion      Code = "region"      // region: not that of the bucket
	CodeClock       Code = "clock"       // ours and the store's differ too much
	CodeIncomplete  Code = "incomplete"  // the target has another size than was sent, so it was removed
	CodeNoSFTP      Code = "no_sftp"     // the server has no SFTP, or not for this user
	CodeAnswer      Code = "answer"      // status: an answer of which nothing is known
	CodeAuthorities Code = "authorities" // file: cannot be read, or has no certificate
	CodeUnknown     Code = "unknown"     // whatever else
)

// Error is why a target did not do what it was asked. Nothing of it is the words of the server.
type Error struct {
	Code   Code
	Params map[string]string
	Err    error // for the log
}

func (e *Error) Error() string {
	var inner *Error
	switch {
	case e.Err == nil:
		return string(e.Code)
	case errors.As(e.Err, &inner): // it says its code itself
		return e.Err.Error()
	}
	return fmt.Sprintf("%s: %v", e.Code, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// passing reports whether it may go better at once. Who hangs has had time enough.
func (e *Error) passing() bool { return e.Code == CodeInterrupted || e.Code == CodeUnreachable }

// CodeOf is the code of an error, and its parameters.
func CodeOf(err error) (Code, map[string]string) {
	var e *Error
	if errors.As(err, &e) {
		return e.Code, e.Params
	}
	return CodeUnknown, nil
}

func fail(code Code, params map[string]string, err error) *Error {
	return &Error{Code: code, Params: params, Err: err}
}

// classify gives an error its code, unless it has one. What the caller ended is no fault of the target.
func classify(ctx context.Context, err error) error {
	var known *Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fail(CodeStopped, nil, err)
	case ctx.Err() != nil:
		return fail(CodeTimeout, nil, err)
	case errors.As(err, &known):
		return &Error{known.Code, known.Params, err}
	}
	return network(err, "")
}

// network is the code of what happened to a connection. host is the server's, if none was reached yet.
func network(err error, host string) *Error {
	var known *Error
	var refused outbound.Refused
	var lookup *net.DNSError
	var timeout net.Error
	params := map[string]string{"host": host}
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &refused):
		return fail(CodeAddress, map[string]string{"address": refused.Addr.String()}, err)
	case errors.As(err, &lookup) && !lookup.IsTimeout:
		return fail(CodeName, map[string]string{"host": lookup.Name}, err)
	case isTLS(err):
		return fail(CodeTLS, params, err)
	// Asked of the error of a request, it says no to one that is wrapped beside another.
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fail(CodeTimeout, nil, err)
	case isDial(err):
		return fail(CodeUnreachable, params, err)
	case isBroken(err):
		return fail(CodeInterrupted, nil, err)
	}
	return fail(CodeUnknown, nil, err)
}

func isTLS(err error) bool {
	var verification *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verification) || errors.As(err, &header) || errors.As(err, &alert)
}

// isDial reports whether there was no connection at all.
func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

func isBroken(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.As(err, &op)
}
