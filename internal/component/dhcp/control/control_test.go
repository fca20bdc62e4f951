package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serve answers one command after the other with the given texts, the last for ever.
func serve(t *testing.T, answers ...string) Client {
	t.Helper()
	dir, err := os.MkdirTemp("", "kea") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close(); os.RemoveAll(dir) })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			fmt.Fprint(conn, answers[0])
			conn.Close()
			if len(answers) > 1 {
				answers = answers[1:]
			}
		}
	}()
	return Client{Path: ln.Addr().String()}
}

func TestWhatKeaAnswers(t *testing.T) {
	for _, tc := range []struct {
		answer string
		want   error
	}{
		{`{"result": 0, "text": "done"}`, nil},
		{`{"result": 3, "text": "0 leases"}`, nil},
		{`{"result": 2, "text": "unknown"}`, ErrUnsupported},
		{"", ErrDown}, // as the relay does while Kea is down
	} {
		if err := serve(t, tc.answer).Do(t.Context(), "x", nil, nil); !errors.Is(err, tc.want) {
			t.Errorf("%q: %v, want %v", tc.answer, err, tc.want)
		}
	}
	var refused *Refused
	err := serve(t, `{"result": 1, "text": "`+strings.Repeat("a", 5000)+`"}`).Do(t.Context(), "x", nil, nil)
	if !errors.As(err, &refused) || len(refused.Text) > 400 {
		t.Errorf("refused: %v", err)
	}
	for _, none := range []string{"gibberish", "{}", "[]", `{"result": 0, "arguments": 7}`} {
		var out struct{}
		if err := serve(t, none).Do(t.Context(), "x", nil, &out); err == nil {
			t.Errorf("%q passes for an answer", none)
		}
	}
	if err := (Client{Path: filepath.Join(t.TempDir(), "none")}).Do(t.Context(), "x", nil, nil); !errors.Is(err, ErrDown) {
		t.Errorf("without a socket: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := serve(t, `{"result": 0}`).Do(gone, "x", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits: %v", err)
	}
}

func TestLeasesComeInPages(t *testing.T) {
	page := func(first, n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`{"ip-address": "10.0.%d.%d"}`, (first+i)/256, (first+i)%256))
		}
		return `{"result": 0, "arguments": {"leases": [` + strings.Join(all, ",") + `]}}`
	}
	got, err := serve(t, page(0, 1000), page(1000, 5)).Leases(t.Context())
	if err != nil || len(got) != 1005 {
		t.Errorf("%d leases, %v", len(got), err)
	}
	if got, err = serve(t, `{"result": 3}`).Leases(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("%d leases, %v", len(got), err)
	}
	if found, err := serve(t, `{"result": 3, "text": "no lease"}`).Release(t.Context(), "10.0.0.1"); err != nil || found {
		t.Errorf("found %t, %v", found, err)
	}
}
