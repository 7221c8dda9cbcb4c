package metrics_test

import (
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/metrics"
)

var update = flag.Bool("update", false, "rewrite the golden list")

// scrape returns the exposition text.
func scrape(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	rec := httptest.NewRecorder()
	m.Handler(slog.New(slog.DiscardHandler)).ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("status %d: %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

// exercise makes every series appear.
func exercise(r core.Recorder, manifest core.ManifestID) {
	r.StreamCreated(manifest)
	r.SegmentReceived(manifest, 1000, 2*time.Second, 100*time.Millisecond)
	for _, took := range []time.Duration{500, 800, 1500, 3000, 9000} {
		r.SegmentTranscoded(&core.Transcoded{Manifest: manifest, Profiles: []string{"P240p", "P360p"},
			Duration: 2 * time.Second,
			Took:     took * time.Millisecond, Encoded: 2_500_000,
			By: core.Performer{URI: "https://o:8935", Address: "0xabc", Version: "0.8.9"}})
	}
	r.SegmentOverhead(3 * time.Millisecond)
	r.SegmentFailed(manifest, "NoKeyframes")
	r.SegmentUploaded(manifest, "https://o:8935", time.Second, "")
	r.SegmentUploaded(manifest, "https://o:8935", time.Second, "OrchestratorBroke")
	r.SegmentRetried(manifest, 2)
	r.OrchestratorSwapped(manifest, "OrchestratorSlow")
	r.DiscoveryFailed("https://o:8935", "OrchestratorCapped")
	r.Sessions(3, 10)
	r.SessionRefused("OrchestratorCapped")
	r.WorkerRestarted("cpu", "WorkerCrashed")
	r.Transcoders(2, 20, 5)
}

// names returns the sorted "name type" of the series that are ours.
func names(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok && !strings.HasPrefix(rest, "go_") &&
			!strings.HasPrefix(rest, "process_") {
			out = append(out, strings.TrimSpace(rest))
		}
	}
	slices.Sort(out)
	return out
}

func TestNamesAndTypes(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "0xabc-host", Version: "1.0"})
	exercise(m.Recorder(metrics.Gateway), "m1")
	exercise(m.Recorder(metrics.Orchestrator), "m1")
	got := strings.Join(names(scrape(t, m)), "\n") + "\n"
	const golden = "testdata/series.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the series changed; operators' dashboards depend on them. Got:\n%s", got)
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id", Version: "1.0", Revision: "abc"})
	exercise(m.Recorder(metrics.Gateway), "m1")
	text := scrape(t, m)
	const base = `node_id="id",node_type="bctr"`
	for _, want := range []string{
		`livepeer_max_sessions_total{` + base + `} 10`,
		`livepeer_current_sessions_total{` + base + `} 3`,
		`livepeer_segment_transcoded_total{` + base + `,profiles="P240p,P360p",trusted="trusted",verified="unverified"} 5`,
		`livepeer_mil_pixels_processed{` + base + `} 12.5`,
		`livepeer_segment_transcode_failed_total{error_code="NoKeyframes",` + base + `} 1`,
		`livepeer_segment_source_uploaded_total{` + base + `,orchestrator_uri="https://o:8935"} 1`,
		`livepeer_segment_source_upload_failed_total{error_code="OrchestratorBroke",` + base +
			`,orchestrator_uri="https://o:8935"} 1`,
		`livepeer_transcode_retried{` + base + `,try="2"} 1`,
		`livepeer_http_client_segment_transcoded_realtime_3x{` + base + `} 1`,
		`livepeer_http_client_segment_transcoded_realtime_2x{` + base + `} 1`,
		`livepeer_http_client_segment_transcoded_realtime_1x{` + base + `} 1`,
		`livepeer_http_client_segment_transcoded_realtime_half{` + base + `} 1`,
		`livepeer_http_client_segment_transcoded_realtime_slow{` + base + `} 1`,
		`livepeer_success_rate{` + base + `} 0.8333333333333334`,
		`livepeer_transcode_score_bucket{` + base +
			`,profiles="P240p,P360p",trusted="trusted",verified="unverified",le="2.5"} 4`,
		`livepeer_transcoders_capacity{` + base + `} 20`,
		`tutti_refusals_total{code="OrchestratorCapped",` + base + `} 1`,
		`tutti_worker_restarts_total{code="WorkerCrashed",device="cpu",` + base + `} 1`,
		`livepeerversion="1.0",node_type="bctr"} 1`,
		`tutti_build_info{goversion=`,
		"go_goroutines ", "process_start_time_seconds ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(text, "manifest_id") {
		t.Error("streams are told apart without being asked")
	}
}

func TestRolesInOneProcessKeepApart(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id"})
	gateway := m.Recorder(metrics.Gateway)
	gateway.Sessions(1, 10)
	m.Recorder(metrics.Orchestrator).Sessions(2, 20)
	if again := m.Recorder(metrics.Gateway); again != gateway {
		t.Error("the same role has two recorders")
	}
	text := scrape(t, m)
	for _, want := range []string{`{node_id="id",node_type="bctr"} 1`, `{node_id="id",node_type="orch"} 2`} {
		if !strings.Contains(text, "livepeer_current_sessions_total"+want) {
			t.Errorf("%s is missing", want)
		}
	}
	extra := prometheus.NewGauge(prometheus.GaugeOpts{Name: "tutti_extra", Help: "Extra."})
	if err := m.Register(extra); err != nil {
		t.Fatal(err)
	}
	if err := m.Register(extra); err == nil {
		t.Error("registering twice is not refused")
	}
}

func TestPerStream(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id", PerStream: true})
	r := m.Recorder(metrics.Gateway)
	exercise(r, "movie\xff")
	if text := scrape(t, m); !strings.Contains(text,
		`livepeer_segment_source_emerged_total{manifest_id="movie",node_id="id",node_type="bctr"} 1`) {
		t.Errorf("no series of the stream:\n%s", text)
	}
	r.StreamEnded("movie\xff")
	if strings.Contains(scrape(t, m), "manifest_id") {
		t.Error("the stream's series outlive it")
	}
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id", PerStream: true})
	r := m.Recorder(metrics.Orchestrator)
	for i := range 1200 {
		r.SegmentReceived(core.ManifestID(fmt.Sprintf("m%d", i)), 1, time.Second, time.Second)
	}
	text := scrape(t, m)
	if n := strings.Count(text, "livepeer_segment_source_emerged_total{"); n != 1000 {
		t.Errorf("%d series", n)
	}
	if strings.Contains(text, `manifest_id="m199"`) || !strings.Contains(text, `manifest_id="m1199"`) {
		t.Error("not the oldest went")
	}
}

func TestLabelsChosenByPeersAreBounded(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id"})
	r := m.Recorder(metrics.Orchestrator)
	for i := range 500 {
		r.SegmentTranscoded(&core.Transcoded{Manifest: "m", Profiles: []string{fmt.Sprintf("profile-%d", i)},
			Duration: time.Second, Took: time.Second,
			By: core.Performer{URI: fmt.Sprint("https://o", i), Version: fmt.Sprint(i)}})
		r.SegmentFailed("m", fmt.Sprintf("\xffcode-%d", i))
	}
	r.SegmentRetried("m", 99999)
	text := scrape(t, m)
	if n := strings.Count(text, "livepeer_segment_transcoded_total{"); n != 201 {
		t.Errorf("%d series by profiles", n)
	}
	if n := strings.Count(text, "livepeer_segment_transcoded_unprocessed_total{"); n > 501 {
		t.Errorf("%d series by profiles and orchestrator", n)
	}
	if !strings.Contains(text, `profiles="other"`) || !strings.Contains(text, `error_code="other"`) ||
		!strings.Contains(text, `try="10"`) {
		t.Error("no value stands for the rest")
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id", PerStream: true})
	r := m.Recorder(metrics.Gateway)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 50 {
				exercise(r, core.ManifestID(fmt.Sprint(i)))
				r.StreamEnded(core.ManifestID(fmt.Sprint(i)))
			}
		})
	}
	wg.Wait()
	scrape(t, m)
}

// The names of the existing node break some of Prometheus' rules and are kept;
// what is ours follows them.
func TestOwnSeriesPassPromlint(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id", Version: "1"})
	exercise(m.Recorder(metrics.Gateway), "m1")
	problems, err := promlint.New(strings.NewReader(scrape(t, m))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "tutti_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}
