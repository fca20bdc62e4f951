package backup

import (
	"net"
	"net/http"
	"testing"
	"time"

	"gateway/internal/api/apitest"
	"gateway/lab/s3test"
)

// Whoever switches a target off, or deletes it, does not want it to get the rest either.
func TestATargetThatIsNotWantedGetsNoMore(t *testing.T) {
	for name, end := range map[string]func(r *rig, made Target, in body){
		"switched off": func(r *rig, made Target, in body) {
			r.Do("PUT", targetsPath+"/"+made.ID, apitest.With(in, body{"active": false})).Want(http.StatusOK)
		},
		"deleted": func(r *rig, made Target, _ body) { r.Do("DELETE", targetsPath+"/"+made.ID, nil).Want(http.StatusOK) },
	} {
		t.Run(name, func(t *testing.T) {
			silent, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer silent.Close()
			held := make(chan net.Conn, 100)
			go func() {
				for {
					conn, err := silent.Accept()
					if err != nil {
						return
					}
					held <- conn
				}
			}()
			r := newRig(t)
			r.s.Outside.Stall = 5 * time.Minute // it would wait that long
			r.quiet()
			in := apitest.With(store(&s3test.Server{Addr: silent.Addr().String()}), body{"name": "slow"})
			made := r.target(in)
			out, err := r.s.answer(t.Context(), []byte(`{"kind": "manual"}`))
			if err != nil || out.(begun).ID == "" {
				t.Fatalf("begun %+v, %v", out, err)
			}
			conn := <-held
			defer conn.Close()
			end(r, made, in)
			r.idle()
			b := r.get(out.(begun).ID)
			if b.RemoteUploads[0].State != failed || b.RemoteUploads[0].Error == nil || b.RemoteUploads[0].Error.Text != "the target was removed or switched off" {
				t.Errorf("the upload is %+v", b.RemoteUploads[0])
			}
		})
	}
}
