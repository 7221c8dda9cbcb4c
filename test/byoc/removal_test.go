package byoc_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/tuttinode/tutti/test/byoc"
)

// TestAClientRemovesNoCapability: a server that answers a client's request with 401, whatever it is that it refuses,
// keeps its capability, and the client gets the answer.
func TestAClientRemovesNoCapability(t *testing.T) {
	t.Parallel()
	for name, all := range map[string]bool{"only the client's": false, "all that is no work": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := free(t)
			c := newClient(t, n, "127.0.0.1")
			checks := make(chan struct{}, 8)
			worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodGet:
					if all {
						w.WriteHeader(http.StatusUnauthorized)
					}
					checks <- struct{}{}
				case r.URL.Path == "/key", r.Header.Get("X-Stream-Id") == "bad":
					w.WriteHeader(http.StatusUnauthorized)
					_, _ = io.WriteString(w, "your key is wrong")
				case r.URL.Path == "/break":
					panic(http.ErrAbortHandler)
				case r.URL.Path == "/large":
					w.WriteHeader(http.StatusRequestEntityTooLarge)
				}
			}))
			t.Cleanup(worker.Close)
			expect(t, "register", c.Register(byoc.Secret, "cap", worker.URL, 1, 0), http.StatusOK, "ok")
			header := c.Header(work())
			if all { // it works, so it takes its token
				expect(t, "work", c.Send("POST", "/process/request/x", "{}", "Livepeer", header), http.StatusOK, "")
				await(t, "the check", func() bool { return len(checks) > 0 })
			}
			expect(t, "a wrong key", c.Send("POST", "/process/request/key", "{}", "Livepeer", header), 401,
				"your key is wrong\n")
			expect(t, "a stream with one", c.Send("POST", "/ai/stream/start", "{}", "Livepeer", c.Header(start("bad", "{}"))),
				401, "your key is wrong\n")
			expect(t, "broken", c.Send("POST", "/process/request/break", "{}", "Livepeer", header), 500, brokeOff)
			expect(t, "large", c.Send("POST", "/process/request/large", "{}", "Livepeer", header), 413, "")
			expect(t, "work", c.Send("POST", "/process/request/x", "{}", "Livepeer", header), http.StatusOK, "")
		})
	}
}

// TestARefusedTokenRemovesACapability: a server that refuses the token itself loses its capability, also one that
// worked before.
func TestARefusedTokenRemovesACapability(t *testing.T) {
	t.Parallel()
	for name, worked := range map[string]bool{"never worked": false, "worked before": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, worker := free(t), byoc.NewCapability(t)
			c := newClient(t, n, "127.0.0.1")
			expect(t, "register", c.Register(byoc.Secret, "cap", worker.URL, 1, 0), http.StatusOK, "ok")
			header := c.Header(work())
			if worked {
				expect(t, "work", c.Send("POST", "/process/request/x", "{}", "Livepeer", header), http.StatusOK, "")
			}
			await(t, "the removal", func() bool {
				return c.Send("POST", "/process/request/unauth", "{}", "Livepeer", header).Status == 500
			})
			expect(t, "work", c.Send("POST", "/process/request/x", "{}", "Livepeer", header), 503, noCapacity)
		})
	}
}
