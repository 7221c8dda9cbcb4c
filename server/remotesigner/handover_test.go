package remotesigner_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// An upgrade and a stop wait for no webhook: a request that is still asked about when the books are closed, and
// another process has them, gets nothing signed, and takes nothing of the day's budget there.
func TestARequestOutlivesItsSigner(t *testing.T) {
	t.Parallel()
	asked, admit := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !first.Swap(true) {
			close(asked)
			<-admit
		}
		_, _ = w.Write([]byte(`{"status":200,"auth_id":"a"}`))
	}))
	defer h.Close()
	admitted := sync.OnceFunc(func() { close(admit) })
	defer admitted()
	dir := t.TempDir()
	fields := map[string]any{"orchestrator": offer(t, nil), "type": "live"}
	const limit = "3000000000000" // a first payment is worth 1.4e12
	before := begin(t, dir, change{webhook: h.URL, limit: limit})
	late := make(chan answer, 1)
	go func() { late <- before.ask(t, fields) }()
	<-asked
	before.closeBooks()
	after := begin(t, dir, change{webhook: h.URL, limit: limit})
	if a := after.ask(t, fields); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.error)
	}
	admitted()
	if a := <-late; a.status < 500 {
		t.Errorf("after its signer's books were closed: %d %s", a.status, a.text)
	}
	for i, want := range []int{200, 429} {
		if a := after.ask(t, fields); a.status != want {
			t.Errorf("payment %d: %d %s", i+2, a.status, a.error)
		}
	}
}
