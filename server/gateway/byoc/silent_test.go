package byoc_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/byoc"
)

// An orchestrator that begins a token, a refusal or an answer about a stream and then falls silent, whatever it sent
// before, costs a client no more than the time for it.
func TestAnswersThatFallSilent(t *testing.T) {
	t.Parallel()
	silent := func(w http.ResponseWriter, r *http.Request, status, bytes int) bool {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"available_capacity":1,"x":"`+strings.Repeat("y", bytes))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return true
	}
	for name, bytes := range map[string]int{"at once": 0, "below the limit": 1 << 10, "above it": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, good := newOrchestrator(t), newOrchestrator(t)
			g := newGateway(t, func(x *setup) {
				x.Limits = byoc.Limits{Ask: time.Second, Search: 3 * time.Second, Start: time.Second,
					Grace: time.Millisecond, End: time.Second}
			}, o, good)
			o.token = func(w http.ResponseWriter, r *http.Request) bool { return silent(w, r, 200, bytes) }
			res, text := g.do(t, "POST", "/process/request/x", job("{}", "{}", 5), "", "")
			if res.StatusCode != http.StatusOK || len(o.saw("/process/request")) != 0 {
				t.Error(res.Status, text)
			}
			o.token = nil
			for _, status := range []int{400, 500, 503} {
				o.request = func(w http.ResponseWriter, r *http.Request) bool { return silent(w, r, status, bytes) }
				o.stream = o.request
				g.list = []string{o.srv.URL}
				// A refusal that is the client's answer breaks off with the job's time, which is a second.
				g.do(t, "POST", "/process/request/x", job("{}", "{}", 1), "", "")
				g.do(t, "POST", "/process/stream/start", job("{}", "{}", 1), "", "")
			}
		})
	}
}
