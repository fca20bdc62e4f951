package proxy

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/api/apitest"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component/proxy/proxytest"
	"gateway/internal/db/dbtest"
)

// rig is the component behind the real edge and on a real database. Changes are stored, and
// that is all; package haproxyconf's tests have HAProxy at the other end.
type rig struct {
	proxytest.Client
	db *pgxpool.Pool
}

type object = proxytest.Object

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{db: dbtest.New(t, change.Schema(), audit.Schema(), New(Options{}).Schema())}
	run := change.NewRunner(r.db, audit.NewLog("node-1", time.Now), time.Now, nil, nil)
	r.Client = proxytest.Client{Caller: apitest.New(t, "proxy", New(Options{DB: r.db, Run: run}).Routes)}
	return r
}

// id is one that no object has.
func id(n int) string { return fmt.Sprintf("00000000-0000-7000-8000-%012d", n) }

// filter is the query of a list.
func filter(field, value string) string { return "?filter=" + url.QueryEscape(field+":"+value) }
