package app_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/api"
	"gateway/internal/app/apptest"
	"gateway/internal/component/user"
	"gateway/internal/db"
	"gateway/tools/bar"
)

// What the edge costs: the same query and the same JSON, once through the API
// (session, gates, validation, envelope) and once behind bare net/http and pgx.
func TestBarFoundation11CostOfTheEdge(t *testing.T) {
	bar.NotShort(t)
	a, admin := apptest.Ready(t)
	a.Execute(`insert into users (id, revision, created_at, updated_at, email, role, active, password_hash)
		select gen_random_uuid(), 1, now(), now(), 'user' || n || '@example.com', 'viewer', true, 'x' from generate_series(1, 99) n`)
	id := admin.Get("/auth/me").ID()
	ours, bare := httptest.NewServer(a.API.Handler()), httptest.NewServer(bareServer(t, a.Config.Database))
	t.Cleanup(ours.Close)
	t.Cleanup(bare.Close)
	cookie := "Cookie: " + api.SessionCookie + "=" + admin.Cookies[api.SessionCookie] + "\r\n"
	list := compare(t, load{ours, cookie, "/api/v1/users?limit=100"}, load{bare, cookie, "/users"})
	one := compare(t, load{ours, cookie, "/api/v1/users/" + id}, load{bare, cookie, "/users/" + id})
	figure := fmt.Sprintf("list %.2f, one row %.2f of bare requests per second", list, one)
	bar.ReportTimed(t, "foundation", 11, figure, "list >=0.85, one row >=0.75", !t.Failed() && list > 0 && one > 0, list >= 0.85 && one >= 0.75)
}

// bareServer is what somebody would write by hand, with no checks at all.
func bareServer(t *testing.T, dsn string) http.Handler {
	pool, err := db.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	const columns = `id, revision, created_at, updated_at, email, role, active, oidc_subject, totp_enabled`
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users", func(w http.ResponseWriter, r *http.Request) {
		var total int64
		var users []user.User
		var b pgx.Batch
		b.Queue(`select ` + columns + ` from users order by email, id limit 100 offset 0`).Query(func(rows pgx.Rows) (err error) {
			users, err = pgx.CollectRows(rows, pgx.RowToStructByPos[user.User])
			return err
		})
		b.Queue(`select count(id) from users`).QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
		err := pool.SendBatch(r.Context(), &b).Close()
		w.Header().Set("X-Total-Count", fmt.Sprint(total))
		reply(w, users, err)
	})
	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) { bareOne(w, r, pool, columns) })
	return mux
}

func bareOne(w http.ResponseWriter, r *http.Request, pool *pgxpool.Pool, columns string) {
	rows, err := pool.Query(r.Context(), `select `+columns+` from users where id = $1`, r.PathValue("id"))
	var u user.User
	if err == nil {
		u, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[user.User])
	}
	reply(w, u, err)
}

func reply(w http.ResponseWriter, data any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(api.Envelope[any]{Data: data})
}

type load struct {
	server *httptest.Server
	header string
	path   string
}

// compare alternates short runs of both, since the machine's mood changes by the
// second, and answers the median of the pairs' ratios.
func compare(t *testing.T, ours, bare load) float64 {
	t.Helper()
	slice := time.Duration(bar.Size(100, 500)) * time.Millisecond
	ours.rate(t, slice) // warm both up
	bare.rate(t, slice)
	var ratios []float64
	for i := range bar.Size(41, 121) {
		var o, b float64
		if i%2 == 0 {
			o, b = ours.rate(t, slice), bare.rate(t, slice)
		} else {
			b, o = bare.rate(t, slice), ours.rate(t, slice)
		}
		ratios = append(ratios, o/b)
	}
	slices.Sort(ratios)
	t.Logf("%s: median ratio %.2f, half of them within %.2f and %.2f", ours.path, ratios[len(ratios)/2], ratios[len(ratios)/4], ratios[len(ratios)*3/4])
	return ratios[len(ratios)/2]
}

// rate sends requests over four kept-alive connections and answers how many per second came back.
func (l load) rate(t *testing.T, during time.Duration) float64 {
	t.Helper()
	var n atomic.Int64
	var wg sync.WaitGroup
	end := time.Now().Add(during)
	for range 4 {
		wg.Go(func() {
			if err := l.connection(end, &n); err != nil {
				t.Errorf("%s: %v", l.path, err)
			}
		})
	}
	wg.Wait()
	return float64(n.Load()) / during.Seconds()
}

// connection is as thin as can be: what the client costs hides what the server does.
func (l load) connection(end time.Time, n *atomic.Int64) error {
	conn, err := net.Dial("tcp", l.server.Listener.Addr().String())
	if err != nil {
		return err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	request := []byte("GET " + l.path + " HTTP/1.1\r\nHost: gw\r\n" + l.header + "\r\n")
	for time.Now().Before(end) {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d, %w", res.StatusCode, err)
		}
		n.Add(1)
	}
	return nil
}
