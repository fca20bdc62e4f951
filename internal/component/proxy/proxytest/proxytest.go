// Package proxytest makes objects of the reverse proxy through its API, for the tests of
// both sides: what operators are offered, and what HAProxy runs on. It knows no more of the
// component than its routes. It is imported by tests only.
package proxytest

import (
	"net"
	"net/http"
	"strconv"

	"gateway/internal/api/apitest"
)

// Object is what a request carries.
type Object = apitest.Object

// Client calls the API of the component.
type Client struct{ *apitest.Caller }

// Backend makes a pool of HTTP servers, unless said otherwise.
func (c Client) Backend(name string, more ...Object) string {
	c.T.Helper()
	return c.Do("POST", "/backends", With(Object{"name": name}, more...)).Want(http.StatusCreated).ID()
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
	body := With(Object{"name": name, "address": host, "port": n}, more...)
	return c.Do("POST", "/backends/"+backend+"/servers", body).Want(http.StatusCreated).ID()
}

// Site makes a domain.
func (c Client) Site(name, backend string, more ...Object) string {
	c.T.Helper()
	return c.Do("POST", "/domains", With(Object{"name": name, "backend_id": backend}, more...)).Want(http.StatusCreated).ID()
}

// Rule makes a routing rule of a domain.
func (c Client) Rule(site, path, backend string, priority int) string {
	c.T.Helper()
	return c.Do("POST", "/routing-rules", Object{"domain_id": site, "path_prefix": path, "backend_id": backend, "priority": priority}).Want(http.StatusCreated).ID()
}

// Edit replaces some fields of an object.
func (c Client) Edit(path string, changes Object) apitest.Answer {
	c.T.Helper()
	var now Object
	c.Do("GET", path, nil).Want(http.StatusOK).Into(&now)
	for _, read := range []string{"id", "revision", "created_at", "updated_at", "servers", "proxy_name"} {
		delete(now, read)
	}
	return c.Do("PUT", path, With(now, changes))
}

// With puts more fields into an object, and answers it.
func With(base Object, more ...Object) Object {
	for _, m := range more {
		for k, v := range m {
			base[k] = v
		}
	}
	return base
}
