package forwardproxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gateway/internal/api"
	"gateway/internal/component"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/fault"
)

// Stats are counters of the running proxy, since it started.
type Stats struct {
	Version         string  `json:"version" doc:"Version of Squid"`
	Uptime          float64 `json:"uptime" doc:"Seconds since it started"`
	CPU             float64 `json:"cpu" doc:"Seconds of CPU time used"`
	Clients         int64   `json:"clients" doc:"Clients seen lately"`
	Requests        int64   `json:"requests" doc:"Requests of clients"`
	Hits            int64   `json:"hits" doc:"Requests answered from the cache"`
	Errors          int64   `json:"errors" doc:"Requests that ended with an error, denied ones included"`
	BytesIn         int64   `json:"bytes_in" doc:"Bytes from clients"`
	BytesOut        int64   `json:"bytes_out" doc:"Bytes to clients"`
	HitBytesOut     int64   `json:"hit_bytes_out" doc:"Bytes to clients from the cache"`
	ServerRequests  int64   `json:"server_requests" doc:"Requests sent to servers or to the parent proxy"`
	ServerErrors    int64   `json:"server_errors" doc:"Of these, those that failed"`
	ServerBytesIn   int64   `json:"server_bytes_in" doc:"Bytes from servers"`
	ServerBytesOut  int64   `json:"server_bytes_out" doc:"Bytes to servers"`
	CacheBytes      int64   `json:"cache_bytes" doc:"Bytes in the cache"`
	OpenDescriptors int64   `json:"open_descriptors" doc:"Open file descriptors, mostly connections"`
	MaxDescriptors  int64   `json:"max_descriptors" doc:"File descriptors that it may open"`
}

// answerTime bounds a question to the proxy, which is on this machine. Whoever looks for problems
// waits for two seconds, and has to hear that it hangs by then.
const answerTime = 1200 * time.Millisecond

// mostAnswer is more than any page of the manager that we ask for.
const mostAnswer = 1 << 20

func dialInternal(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", squid.InternalPort))
}

func (h *handlers) statsRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "forwardproxy-stats", Method: http.MethodGet, Path: "/forward-proxy/stats", Access: api.Viewer, AtOnce: 4, Switched: true,
		Summary:     "Counters of the forward proxy",
		Description: "Asked of the running proxy; 409 while the forward proxy is switched off.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[Stats], error) {
		s, err := h.stats(ctx)
		if err != nil {
			return nil, h.orOff(ctx, err)
		}
		return api.OK(s), nil
	})
}

func (h *handlers) stats(ctx context.Context) (Stats, error) {
	counters, err := h.manager(ctx, "counters", " = ")
	if err != nil {
		return Stats{}, err
	}
	info, err := h.manager(ctx, "info", ":")
	if err != nil {
		return Stats{}, err
	}
	const kilo = 1024
	return Stats{
		Version: strings.TrimPrefix(info["Squid Object Cache"], "Version "),
		Uptime:  number(info["UP Time"]), CPU: number(info["CPU Time"]), Clients: whole(info["Number of clients accessing cache"]),
		Requests: whole(counters["client_http.requests"]), Hits: whole(counters["client_http.hits"]), Errors: whole(counters["client_http.errors"]),
		BytesIn: whole(counters["client_http.kbytes_in"]) * kilo, BytesOut: whole(counters["client_http.kbytes_out"]) * kilo,
		HitBytesOut:    whole(counters["client_http.hit_kbytes_out"]) * kilo,
		ServerRequests: whole(counters["server.all.requests"]), ServerErrors: whole(counters["server.all.errors"]),
		ServerBytesIn: whole(counters["server.all.kbytes_in"]) * kilo, ServerBytesOut: whole(counters["server.all.kbytes_out"]) * kilo,
		CacheBytes:      whole(info["Storage Mem size"]) * kilo,
		OpenDescriptors: whole(info["Number of file desc currently in use"]), MaxDescriptors: whole(info["Maximum number of file descriptors"]),
	}, nil
}

// number is the first word of a value, without its unit.
func number(text string) float64 {
	words := strings.Fields(text)
	if len(words) == 0 {
		return 0
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(words[0], "%"), 64)
	if err != nil {
		return 0
	}
	return n
}

func whole(text string) int64 { return int64(number(text)) }

// manager asks the proxy's own manager for a page of names and values.
func (h *handlers) manager(ctx context.Context, page, between string) (map[string]string, error) {
	text, err := h.ask(ctx, page)
	if err != nil {
		return nil, silent(err)
	}
	out := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		if name, val, ok := strings.Cut(lines.Text(), between); ok {
			out[strings.TrimSpace(name)] = strings.TrimSpace(val)
		}
	}
	return out, nil
}

func (h *handlers) ask(ctx context.Context, page string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	client := http.Client{Transport: &http.Transport{
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return h.Dial(ctx) },
		DisableKeepAlives: true,
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/squid-internal-mgr/%s", squid.InternalPort, page), nil)
	if err != nil {
		return "", err
	}
	answer, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("squid answers %s", answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	return string(text), err
}

func silent(err error) error {
	f := fault.New(fault.Unavailable, "the forward proxy does not answer; switch it off and on in its settings, or see the log of %s", squid.Unit)
	return errors.Join(f.WithCode(squid.Unavailable), fmt.Errorf("ask Squid: %w", err))
}

// orOff says that it is switched off, where that is why it does not answer.
func (h *handlers) orOff(ctx context.Context, silent error) error {
	return component.OrOff(ctx, h.DB, `select enabled from forwardproxy_settings`, "the forward proxy", silent)
}
