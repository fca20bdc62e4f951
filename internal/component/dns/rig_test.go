package dns_test

import (
	"testing"

	"gateway/internal/component/dns/dnstest"
)

type object = dnstest.Object

func newRig(t testing.TB, extra string) *dnstest.Rig { t.Helper(); return dnstest.New(t, extra) }
