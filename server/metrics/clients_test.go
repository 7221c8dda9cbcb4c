package metrics_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/metrics"
)

func TestClientIP(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id", ClientIP: true})
	r := m.Recorder(metrics.Gateway)
	r.StreamClient("movie", "192.0.2.7")
	exercise(r, "movie")
	text := scrape(t, m)
	for _, want := range []string{
		`livepeer_segment_source_emerged_total{client_ip="192.0.2.7",manifest_id="movie",node_id="id",node_type="bctr"} 1`,
		`livepeer_segment_source_emerged_unprocessed_total{client_ip="192.0.2.7",manifest_id="movie"`,
		`livepeer_mil_pixels_processed{client_ip="192.0.2.7",manifest_id="movie"`,
		`livepeer_http_client_segment_transcoded_realtime_ratio_count{client_ip="192.0.2.7",manifest_id="movie"`,
		`livepeer_segment_transcoded_downloaded_total{manifest_id="movie",`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	r.StreamEnded("movie")
	if text := scrape(t, m); strings.Contains(text, "client_ip") {
		t.Error("the address outlives the stream")
	}
	off := metrics.New(metrics.Options{NodeID: "id", PerStream: true})
	off.Recorder(metrics.Gateway).StreamClient("movie", "192.0.2.7")
	exercise(off.Recorder(metrics.Gateway), "movie")
	if strings.Contains(scrape(t, off), "client_ip") {
		t.Error("the address is shown without -metricsClientIP")
	}
}

// A client with many addresses, and many clients, cost a bounded number of series.
func TestClientsAreBounded(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id", ClientIP: true})
	r := m.Recorder(metrics.Orchestrator)
	for i := range 500 {
		r.StreamClient("one", fmt.Sprintf("2001:db8::%x", i))
		r.SegmentReceived("one", 1, time.Second, time.Second)
	}
	text := scrape(t, m)
	if n := strings.Count(text, "livepeer_segment_source_emerged_total{"); n != 5 {
		t.Errorf("%d series of one stream, want 4 addresses and the rest", n)
	}
	if !strings.Contains(text, `livepeer_segment_source_emerged_total{client_ip="other",manifest_id="one",node_id="id",`+
		`node_type="orch"} 496`) {
		t.Error("no value stands for the rest")
	}
	for i := range 1500 {
		id := core.ManifestID(fmt.Sprint("m", i))
		r.StreamClient(id, "192.0.2.1")
		r.SegmentReceived(id, 1, time.Second, time.Second)
	}
	if n := strings.Count(scrape(t, m), "livepeer_segment_source_emerged_total{"); n != 1000 {
		t.Errorf("%d series of many streams", n)
	}
}

func TestEventErrors(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id"})
	failed, err := m.EventErrors()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		failed(fmt.Sprint("kind", i)) // runners choose kinds
	}
	failed("kind0")
	if err := m.WatchMetadataLosses(func() uint64 { return 7 }); err != nil {
		t.Fatal(err)
	}
	text := scrape(t, m)
	if n := strings.Count(text, "livepeer_kafka_event_send_errors{"); n != 201 {
		t.Errorf("%d series", n)
	}
	for _, want := range []string{`livepeer_kafka_event_send_errors{event_type="kind0",node_id="id",node_type="dflt"} 2`,
		`tutti_metadata_lost_total{node_id="id",node_type="dflt"} 7`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
}
