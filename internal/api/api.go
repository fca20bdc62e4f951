// Package api is the HTTP edge: it turns requests into calls and results into the
// envelope, and decides, once and in one place, who may call what. It serves the
// SPA and the OpenAPI document too. What an operation does is left to the
// components; nobody else imports huma or writes a status code.
package api

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/identity"
	"gateway/internal/intent"
)

// Prefix is where the API lives.
const Prefix = "/api/v1"

// Options are what the edge needs from the rest of the product.
type Options struct {
	Version  string
	Auth     Authenticator
	Database interface{ Up() bool }
	// SetupDone reports whether initial setup is complete.
	SetupDone func() bool
	// Proof reports whether that caller may do what outlasts the session: because of the ticket, or without one.
	// A ticket is used up by it.
	Proof func(id identity.Identity, ticket, operation string) bool
	// Site is the SPA: index.html and assets/.
	Site    fs.FS
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Authenticator knows who holds a credential.
type Authenticator interface {
	// Authenticate returns the identity behind a session or API token, as it is now:
	// not as it was when the credential was made.
	Authenticate(ctx context.Context, c Credential) (identity.Identity, error)
	// Revocations is signalled when some identity may have ended; open streams then ask again.
	Revocations() (changed <-chan struct{}, cancel func())
}

// Credential is what a request proves itself with: exactly one of the two.
type Credential struct {
	Cookie string
	Bearer string
}

// Server is the edge. It is complete once every component registered its routes.
type Server struct {
	Options
	log     *slog.Logger
	mux     *http.ServeMux
	huma    huma.API
	csrf    *http.CrossOriginProtection
	metrics *metrics
	access  map[string]Access // by operation id: the table of who may do what
	config  map[string]bool   // by pattern: what can be part of a batch
	reads   map[string]bool   // by pattern: what every account may read
	sockets map[string]bool   // by pattern: what is a WebSocket
	within  map[string]time.Duration

	wellKnown map[string]func(ctx context.Context, word string) (string, error)
	anonymous anonymous
	streams   streams
}

// New returns a server with no operations but the description of itself.
func New(o Options) *Server {
	s := &Server{
		Options: o, log: o.Log, mux: http.NewServeMux(), csrf: http.NewCrossOriginProtection(),
		metrics: newMetrics(o.Metrics), access: map[string]Access{}, config: map[string]bool{}, reads: map[string]bool{}, sockets: map[string]bool{}, within: map[string]time.Duration{},
		wellKnown: map[string]func(context.Context, string) (string, error){}, anonymous: anonymous{make(slots, maxAnonymous)},
	}
	s.huma = huma.NewAPI(describe(o.Version), humago.NewAdapter(s.mux, Prefix))
	s.mux.HandleFunc("/", s.unrouted)
	s.registerDocument()
	return s
}

// Router is where a component registers its operations.
type Router struct {
	s   *Server
	tag string
}

// Router returns the registration of the component with that name.
func (s *Server) Router(component string) Router { return Router{s: s, tag: component} }

// Within is how long each operation that answers in one piece may take until it does, by its id. Whatever stands before the
// API must wait longer. Downloads and streams are not among them: something comes all the time.
func (s *Server) Within() map[string]time.Duration { return maps.Clone(s.within) }

// Access says who may call an operation. The zero value is the strictest, so
// that forgetting to say is safe.
type Access int

const (
	// Admin operations need the role admin.
	Admin Access = iota
	// Viewer operations need any signed-in account; only reads are.
	Viewer
	// Self operations act on the caller's own account, so every signed-in one may.
	Self
	// Public operations need no session.
	Public
)

func (a Access) String() string {
	return [...]string{"admin", "viewer", "self", "public"}[a]
}

// Op describes one operation.
type Op struct {
	ID, Method, Path, Summary, Description string
	Access                                 Access
	// TokenRead lets every API token read, whatever its role (metrics).
	TokenRead bool
	// WithoutDatabase operations answer while the database is away.
	WithoutDatabase bool
	// Switched operations read from a daemon that may be switched off, or from a file that may be incomplete: then they answer 409.
	Switched bool
	// BeforeSetup operations are usable while setup is not complete.
	BeforeSetup bool
	// ReadOnly operations are questions whose method is POST, because they do not fit into an address:
	// nothing is stored, sent or done, so there is nothing for the audit log.
	ReadOnly bool
	// Config operations store configuration and do nothing else: they can be tried out,
	// undone, and be part of a batch.
	Config bool
	// Lasting operations can give whoever calls them a power that outlasts the session: an account, a token, a copy of
	// everything. A session proves with the password that its owner wants that.
	Lasting bool
	// Status of success, where it is not 200 (201 for POST that creates).
	Status int
	// Timeout of the whole request, where 15 s are not right.
	Timeout time.Duration
	// MaxBody of the request, where 1 MiB is not right, or 8 KiB for what is Public or Self.
	MaxBody int64
	// AtOnce is how many requests of a costly operation are worked on at the same time; the
	// others wait. 0 is as many as come.
	AtOnce int
	// Enums are the values of fields of the body that are known only once the product is put
	// together; the others say theirs in their tag.
	Enums map[string][]string
	// Query describes the parameters that a Raw operation reads itself, by their names.
	Query map[string]string
	// Check refuses a stream before it is opened: afterwards there is no status any more.
	Check func(ctx context.Context) error
}

// Handle registers an operation. I is a struct of parameters and Body, O one of
// Body, Row, Page and SignedIn of this package.
func Handle[I, O any](r Router, op Op, fn func(ctx context.Context, in *I) (*O, error)) {
	op = op.withDefaults()
	r.s.remember(op)
	counted := r.s.metrics.of(op.ID)
	var limit slots
	if op.AtOnce > 0 {
		limit = make(slots, op.AtOnce)
	}
	r.s.within[op.ID] = op.Timeout
	if limit != nil {
		r.s.within[op.ID] += slotTime
	}
	h := op.describe(r.tag)
	if _, versioned := reflect.TypeFor[I]().FieldByName("IfMatch"); versioned && !slices.Contains(h.Errors, http.StatusPreconditionFailed) {
		h.Errors = append(h.Errors, http.StatusPreconditionFailed)
	}
	h.Middlewares = huma.Middlewares{func(ctx huma.Context, next func(huma.Context)) {
		start := time.Now()
		counted.observe(r.s.pass(op, limit, ctx, next), time.Since(start))
	}}
	enumerate[I](r.s.huma.OpenAPI().Components.Schemas, op.Enums)
	huma.Register(r.s.huma, h, func(ctx context.Context, in *I) (out *O, err error) {
		defer func() {
			if v := recover(); v != nil {
				out, err = nil, r.s.fail(ctx, op.ID, panicked(v))
			}
		}()
		if op.Lasting {
			if err := Proven(ctx); err != nil {
				return nil, r.s.fail(ctx, op.ID, err)
			}
		}
		out, err = fn(ctx, in)
		report(ctx)
		var plan *intent.Plan
		if errors.As(err, &plan) {
			return nil, &planned{Data: plan}
		}
		if err != nil {
			return nil, r.s.fail(ctx, op.ID, err)
		}
		return out, nil
	})
}

// pass lets a huma request through the gates, or answers for it. It returns the status answered.
func (s *Server) pass(op Op, limit slots, ctx huma.Context, next func(huma.Context)) int {
	req, w := humago.Unwrap(ctx)
	refuse := func(err error) int {
		f := s.fail(ctx.Context(), op.ID, err)
		f.write(w)
		return f.status
	}
	id, err := s.admit(op, req)
	if err != nil {
		return refuse(err)
	}
	if op.Access == Public && op.Mutates() {
		if err := s.anonymous.enter(op, w, req); err != nil {
			return refuse(err)
		}
		defer s.anonymous.leave()
	}
	if err := limit.enter(req.Context()); err != nil {
		return refuse(err)
	}
	defer limit.leave()
	bounded, cancel := context.WithTimeout(identity.With(ctx.Context(), id), op.Timeout)
	defer cancel()
	if op.Mutates() {
		if bounded, err = op.withIntent(bounded, req, w); err != nil {
			return refuse(err)
		}
		bounded = s.withProof(bounded, id, req)
	}
	req.Header.Del("Accept") // there is JSON only, and huma panics at a malformed one
	next(huma.WithContext(ctx, withClient(bounded, req)))
	return ctx.Status()
}

func (op Op) withDefaults() Op {
	if op.Status == 0 {
		op.Status = http.StatusOK
	}
	if op.Timeout == 0 {
		op.Timeout = 15 * time.Second
	}
	switch {
	case op.MaxBody != 0:
	case op.Access == Public || op.Access == Self:
		op.MaxBody = smallBody
	default:
		op.MaxBody = 1 << 20
	}
	return op
}

// largeBody is what only so many requests at once may have as Op.AtOnce says.
const largeBody = 8 << 20

// Mutates reports whether the operation changes something, by its method.
func (op Op) Mutates() bool { return op.Method != http.MethodGet }

// changes reports whether the operation changes what is stored or runs: a stream is held to the rules of a mutation
// against other sites only.
func (op Op) changes() bool { return op.Mutates() && op.Method != streamMethod }

// remember keeps the table of who may do what, and refuses what would undermine it.
func (s *Server) remember(op Op) {
	if _, twice := s.access[op.ID]; twice || op.ID == "" {
		panic("operation id is empty or used twice: " + op.ID)
	}
	if op.Access == Viewer && op.Mutates() {
		panic("a mutation cannot be open to viewers: " + op.ID)
	}
	if op.Lasting && (op.Access == Public || !op.Mutates()) {
		panic("nobody can be asked for a password here: " + op.ID)
	}
	if op.MaxBody > largeBody && op.AtOnce == 0 {
		panic("a body as large as this takes too much memory many times at once: " + op.ID)
	}
	s.access[op.ID] = op.Access
	s.config[op.Method+" "+Prefix+op.Path] = op.Config
	s.reads[op.Method+" "+Prefix+op.Path] = !op.Mutates() && (op.Access == Viewer || op.Access == Public)
}

// Body answers data.
type Body[T any] struct {
	Body Envelope[T]
}

// Row answers one resource with its version.
type Row[T any] struct {
	ETag string `header:"ETag" doc:"Version of the resource, for If-Match"`
	Body Envelope[T]
}

// Created answers a resource that was made, and where it is.
type Created[T any] struct {
	ETag     string `header:"ETag" doc:"Version of the resource, for If-Match"`
	Location string `header:"Location" doc:"Path of the resource"`
	Body     Envelope[T]
}

// Made answers what was made and has no version, and where it is.
type Made[T any] struct {
	Location string `header:"Location" doc:"Path of the resource"`
	Body     Envelope[T]
}

// Page answers a slice of a list.
type Page[T any] struct {
	Total int64 `header:"X-Total-Count" doc:"Total number of matches"`
	Body  Envelope[[]T]
}

// SignedIn answers and sets (or clears) cookies.
type SignedIn[T any] struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      Envelope[T]
}

// None is the data of an answer that has none: null.
type None struct{}

// Done answers that something was done, with nothing to tell about it.
func Done() *Body[*None] { return &Body[*None]{} }

// OK wraps data into an answer.
func OK[T any](data T) *Body[T] { return &Body[T]{Envelope[T]{Data: data}} }

// Client is what the edge knows of the caller.
type Client struct {
	Addr      netip.Addr
	UserAgent string
	Device    string // value of the device cookie
	Port      uint16 // that it came to
}

type clientKey struct{}

// ClientOf returns the caller of the request.
func ClientOf(ctx context.Context) Client {
	r, ok := ctx.Value(clientKey{}).(*http.Request)
	if !ok {
		return Client{}
	}
	c := Client{Addr: remote(r), UserAgent: r.UserAgent(), Port: port(r.Host)}
	if cookie, err := r.Cookie(DeviceCookie); err == nil {
		c.Device = cookie.Value
	}
	return c
}

// port is the one in a Host header; HAProxy passes it on as it came.
func port(host string) uint16 {
	_, text, err := net.SplitHostPort(host)
	if n, bad := strconv.ParseUint(text, 10, 16); err == nil && bad == nil {
		return uint16(n)
	}
	return 443
}

// withClient keeps the request as it came: few operations ask who sent it, and only those pay for it.
func withClient(ctx context.Context, r *http.Request) context.Context {
	ctx = identity.WithOrigin(ctx, func() identity.Origin { return identity.Origin{Addr: remote(r), Local: local(r), Port: port(r.Host)} })
	return context.WithValue(ctx, clientKey{}, r)
}

type proxyKey struct{}

// BehindProxy marks what comes by a listener that nobody but our own HAProxy can reach.
func BehindProxy(ctx context.Context) context.Context {
	return context.WithValue(ctx, proxyKey{}, true)
}

// remote is the caller's address. X-Real-IP counts only from our own HAProxy, which
// overwrites it: any process of this machine could send us one.
func remote(r *http.Request) netip.Addr {
	if r.Context().Value(proxyKey{}) != nil {
		addr, err := netip.ParseAddr(r.Header.Get("X-Real-IP"))
		if err == nil {
			return addr.Unmap()
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return peer.Addr().Unmap()
}

// local is our address that the caller came to, as HAProxy says: a node has several, and the
// one by which the kernel would answer need not be it.
func local(r *http.Request) netip.Addr {
	if r.Context().Value(proxyKey{}) == nil {
		return netip.Addr{}
	}
	addr, _ := netip.ParseAddr(r.Header.Get("X-Gateway-Local")) // without one it is not known
	return addr.Unmap()
}
