package dbtest

import (
	"testing"
	"time"

	"gateway/internal/db"
)

// A test's pool waits for its connections; that of the product finds out within a second that its database is away.
func TestATestWaitsForItsConnection(t *testing.T) {
	for _, dsn := range []string{"postgres://u@127.0.0.1:1/x?sslmode=disable", "host=/run/postgresql dbname=x"} {
		for address, want := range map[string]time.Duration{dsn: time.Second, patient(dsn): time.Minute} {
			pool, err := db.Open(address)
			if err != nil {
				t.Fatal(err)
			}
			if got := pool.Config().ConnConfig.ConnectTimeout; got != want {
				t.Errorf("%s: a connection may take %s, want %s", address, got, want)
			}
			pool.Close()
		}
	}
}
