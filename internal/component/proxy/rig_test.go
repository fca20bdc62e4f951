package proxy

import (
	"fmt"
	"net/url"
	"testing"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/proxy/proxytest"
)

type object = proxytest.Object

// newRig stores changes, and that is all; package haproxyconf's tests have HAProxy at the
// other end.
func newRig(t testing.TB) proxytest.Client {
	t.Helper()
	return proxytest.Client{Rig: componenttest.New(t, componenttest.Setup{Component: func(r *componenttest.Rig) component.Component {
		return New(Options{DB: r.Pool, Run: r.Run, Host: links{"203.0.113.7", "2001:db8::7"}})
	}})}
}

// id is one that no object has.
func id(n int) string { return fmt.Sprintf("00000000-0000-7000-8000-%012d", n) }

// filter is the query of a list.
func filter(field, value string) string { return "?filter=" + url.QueryEscape(field+":"+value) }
