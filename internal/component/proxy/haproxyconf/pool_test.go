package haproxyconf

import (
	"net/http"
	"strings"
	"testing"
)

// shows PROXY-32
func TestAlgorithms(t *testing.T) {
	r := newStore(t)
	for _, algorithm := range []string{"roundrobin", "leastconn", "source"} {
		id := r.Backend(algorithm, object{"lb_algorithm": algorithm})
		_, section, _ := strings.Cut(string(r.Rendered().File(Path)), "backend gateway_backend_"+id+"\n\tid "+number(id)+"\n")
		if !strings.HasPrefix(section, "\tbalance "+algorithm+"\n") {
			t.Errorf("%s is rendered as %.40q", algorithm, section)
		}
	}
	for _, algorithm := range []string{"static-rr", "first", "random", "uri", "", "source\n\tserver x 127.0.0.1:1"} {
		if a := r.Do("POST", "/backends", object{"name": "x", "lb_algorithm": algorithm}); a.Status != http.StatusBadRequest {
			t.Errorf("%q is answered %d", algorithm, a.Status)
		}
	}
}
