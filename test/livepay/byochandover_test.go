package livepay

import (
	"net/http"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/byoc"
)

// TestAHandoverOfCapabilityWork: a request goes on when another process has taken over. What it has taken until then is
// charged before that process gets the books, and nothing after it. Streams end, and nothing new begins.
func TestAHandoverOfCapabilityWork(t *testing.T) {
	t.Parallel()
	r := newCapabilityRig(t)
	const path = "/process/request/run"
	begun, release := make(chan struct{}), make(chan struct{})
	r.worker.Working = func(q *http.Request) {
		if q.URL.Path == "/run" {
			begun <- struct{}{}
			<-release
		}
	}
	r.is("a stream", r.run(r.Client, "/ai/stream/start", byoc.Job{ID: "s", Request: "{}", Parameters: "{}",
		Capability: "cap", Timeout: 60}, r.Paid("cap", 90)), http.StatusOK, "")
	answered := make(chan byoc.Answer, 1)
	go func() { answered <- r.run(r.Client, path, capabilityJob(), "") }()
	<-begun
	r.later(2500 * time.Millisecond)
	if err := r.listener.Capabilities.HandOver(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.listener.EndWork()
	r.await("the stream's end", func() bool { return r.listener.Capabilities.Streams() == 0 })
	r.await("what is due of both", func() bool { _, units, _ := r.account(r.Client); return units == 6 })
	r.later(time.Minute)
	r.is("a new request", r.run(r.Client, path, capabilityJob(), ""), http.StatusServiceUnavailable, "")
	close(release)
	a := <-answered
	r.is("the request", a, http.StatusOK, "")
	r.agrees("the request", a.Header.Get("Livepeer-Balance"), 6)
}
