package forwardproxy

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"gateway/internal/api"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/sys"
)

// Question is a request that somebody might make.
type Question struct {
	Source    string     `json:"source" maxLength:"64" doc:"Address of the client" example:"192.0.2.20"`
	Method    string     `json:"method,omitempty" enum:"GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS,TRACE,CONNECT" default:"GET" doc:"HTTP method"`
	URL       string     `json:"url" minLength:"1" maxLength:"8000" doc:"URL, or host:port for CONNECT. Of an https:// URL, what a browser sends is judged: CONNECT to its host and port" example:"http://www.example.com/"`
	UserAgent string     `json:"user_agent,omitempty" maxLength:"1000" doc:"User-Agent header"`
	At        *time.Time `json:"at,omitempty" doc:"When; default: now. Rules with a time see it in the time zone of this node"`
}

// Answer is what becomes of it.
type Answer struct {
	Allowed bool   `json:"allowed" doc:"Whether the request passes"`
	Why     string `json:"why" enum:"rule,default,network,port,connect_port,own_address,manager" doc:"What decides. rule: an access rule. default: no rule matches. network: the client is in no allowed network. port, connect_port: the destination port may not be requested, or not be tunnelled to. own_address: the destination is this node, link-local, or where clouds hand out credentials. manager: the destination is the manager of the proxy"`
	ACLID   string `json:"acl_id,omitempty" doc:"Id of the access rule that decides, where one does"`
	Method  string `json:"method" doc:"Method as the proxy sees it"`
	URL     string `json:"url" doc:"URL as the proxy sees it"`
	Enabled bool   `json:"enabled" doc:"Whether the proxy is switched on; off, nobody is answered"`
}

func (h *handlers) explainRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "forwardproxy-explain", Method: http.MethodPost, Path: "/forward-proxy/explain", ReadOnly: true,
		Summary:     "Whether a request would pass the forward proxy, and by which access rule",
		Description: "Judges a request by the stored settings and access rules. Nothing is sent and no name is looked up, so a host name that points to this node is not recognized here; the proxy itself refuses it.",
	}, h.explain)
}

func (h *handlers) explain(ctx context.Context, in *struct{ Body Question }) (*api.Body[Answer], error) {
	req := asSent(in.Body)
	if err := squid.CheckRequest(req); err != nil {
		return nil, err
	}
	links, err := h.Host.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list the interfaces: %w", err)
	}
	s, err := squid.Load(ctx, h.DB, sys.Addresses(links))
	if err != nil {
		return nil, err
	}
	if s, err = s.WithNames(ctx, h.DB, req); err != nil {
		return nil, err
	}
	v, err := s.Explain(req)
	if err != nil {
		return nil, err
	}
	return api.OK(Answer{Allowed: v.Allowed, Why: v.Why, ACLID: v.Rule, Method: req.Method, URL: req.URL, Enabled: s.Settings.On()}), nil
}

// asSent is a question as a client sends it to its proxy.
func asSent(q Question) squid.Request {
	r := squid.Request{Method: strings.ToUpper(q.Method), URL: strings.TrimSpace(q.URL), UserAgent: q.UserAgent, At: time.Now()}
	if q.At != nil {
		r.At = q.At.Local()
	}
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	r.Source, _ = netip.ParseAddr(strings.TrimSpace(q.Source)) // what is no address is refused with the rest
	u, err := url.Parse(r.URL)
	if err == nil && u.Scheme == "https" && u.Host != "" {
		r.Method, r.URL = http.MethodConnect, u.Host
		if u.Port() == "" {
			r.URL += ":443"
		}
	}
	return r
}
