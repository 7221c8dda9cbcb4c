package upstream_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// The client of a live stream writes its parameters: a start that fails is excused by them, until another orchestrator
// takes the stream.
func TestFailedStartsOfStreams(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		does    http.HandlerFunc
		want    sender.Outcome
		forgone int
	}{
		"no slot":     {says(503, "", "insufficient capacity"), sender.Refused, 1},
		"bad params":  {says(400, "", "params are no JSON"), sender.Refused, 1},
		"runner's":    {says(500, "", "live-video-to-video container returned 422: x"), sender.Refused, 1},
		"broke":       {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, sender.Failed, 1},
		"broken body": {broken, sender.Failed, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, row.does)
			d := &paymentTerms{header: "AQID"}
			c := client(t, upstream.Options{Payments: payer{terms: d}})
			status, _, paid, err := c.StartLive(t.Context(), terms(t, c, s.URL, ""), "key one", 60, []byte("{}"))
			if err == nil {
				err = upstream.Forgone(http.ErrAbortHandler, paid)
			}
			if got := d.only(t); got.how != row.want || d.forgone != row.forgone {
				t.Errorf("%d: %+v, forgone %d, want %v", status, got, d.forgone, row.want)
			}
			if v, lost := upstream.Lost(err); !lost || v.Sign() == 0 {
				t.Errorf("%v: nothing is lost", err)
			}
		})
	}
	s := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	d := &paymentTerms{header: "AQID"}
	c := client(t, upstream.Options{Payments: payer{terms: d}})
	status, answer, paid, err := c.StartLive(t.Context(), terms(t, c, s.URL, ""), "key one", 60, []byte("{}"))
	if status != 200 || string(answer) != "{}" || paid == nil || err != nil || len(d.settled) != 0 || d.forgone != 0 {
		t.Error(status, string(answer), paid, err, d.settled, d.forgone)
	}
}

// broken breaks off within its answer.
func broken(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, "{")
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
