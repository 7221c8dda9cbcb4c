package metrics_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/metrics"
)

// The OpenMetrics form, which alone has exemplars, is served where traces are recorded; elsewhere scrapers that ask for
// it get the form that they always got.
func TestExemplars(t *testing.T) {
	t.Parallel()
	const trace = "0af7651916cd43dd8448eb211c80319c"
	for _, on := range []bool{false, true} {
		m := metrics.New(metrics.Options{NodeID: "id", Version: "1.0", Exemplars: on})
		if err := m.WatchTraces(func() (sent, lost uint64) { return 5, 2 }); err != nil {
			t.Fatal(err)
		}
		f := figures()
		f.TraceID = trace
		m.Inference(metrics.Gateway).JobDone(f)
		rec := httptest.NewRecorder()
		req := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		req.Header.Set("Accept", "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3")
		m.Handler(slog.New(slog.DiscardHandler)).ServeHTTP(rec, req)
		open := rec.Body.String()
		if strings.Contains(open, `# {trace_id="`+trace+`"} 1.2`) != on || strings.HasSuffix(open, "# EOF\n") != on {
			t.Errorf("exemplars %v:\n%s", on, open)
		}
		plain := scrape(t, m)
		if strings.Contains(plain, trace) {
			t.Error("exemplars in a form that has none")
		}
		for _, want := range []string{`tutti_trace_spans_total{node_id="id",node_type="dflt",outcome="sent"} 5`,
			`tutti_trace_spans_total{node_id="id",node_type="dflt",outcome="lost"} 2`} {
			if !strings.Contains(plain, want) {
				t.Errorf("no %s", want)
			}
		}
	}
}
