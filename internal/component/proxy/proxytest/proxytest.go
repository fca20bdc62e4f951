// Package proxytest makes objects of the reverse proxy through its API, for the tests of
// both sides: what operators are offered, and what HAProxy runs on. It knows no more of the
// component than its routes. It is imported by tests only.
package proxytest

import (
	"net"
	"net/http"
	"strconv"

	"gateway/internal/api/apitest"
	"gateway/internal/component/componenttest"
)

// Object is what a request carries.
type Object = componenttest.Object

// Client calls the API of the component.
type Client struct{ *componenttest.Rig }

// Backend makes a pool of HTTP servers, unless said otherwise.
func (c Client) Backend(name string, more ...Object) string {
	c.T.Helper()
	return c.Do("POST", "/backends", apitest.With(Object{"name": name}, more...)).Want(http.StatusCreated).ID()
}

// Server adds one to a pool; at is its address and port.
func (c Client) Server(backend, name, at string, more ...Object) string {
	c.T.Helper()
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		c.T.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		c.T.Fatal(err)
	}
	body := apitest.With(Object{"name": name, "address": host, "port": n}, more...)
	return c.Do("POST", "/backends/"+backend+"/servers", body).Want(http.StatusCreated).ID()
}

// Site makes a domain.
func (c Client) Site(name, backend string, more ...Object) string {
	c.T.Helper()
	return c.Do("POST", "/domains", apitest.With(Object{"name": name, "backend_id": backend}, more...)).Want(http.StatusCreated).ID()
}

// Rule makes a routing rule of a domain.
func (c Client) Rule(site, path, backend string, priority int) string {
	c.T.Helper()
	return c.Do("POST", "/routing-rules", Object{"domain_id": site, "path_prefix": path, "backend_id": backend, "priority": priority}).Want(http.StatusCreated).ID()
}
