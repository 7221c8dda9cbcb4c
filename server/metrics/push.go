package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// pushSeries are what only a gateway counts: its streams, and how fast segments
// come back to the client that pushes them.
type pushSeries struct {
	created, started, ended prometheus.Counter
	latency                 *prometheus.HistogramVec
	ratio                   streamHistogram
	appeared, allAppeared   streamCounter
	// classes are the existing node's classes of speed, fastest first.
	classes []speedClass
}

// speedClass counts the segments that came back at least so many times faster
// than they play.
type speedClass struct {
	atLeast float64
	count   streamCounter
}

func newPushSeries(b *builder) *pushSeries {
	const class = "livepeer_http_client_segment_transcoded_realtime_"
	return &pushSeries{
		created: b.single("livepeer_stream_created_total", "Streams that were created."),
		started: b.single("livepeer_stream_started_total", "Streams that began."),
		ended:   b.single("livepeer_stream_ended_total", "Streams that ended."),
		latency: b.histogram("livepeer_transcode_overall_latency_seconds",
			"Time from a segment's arrival to its renditions.", timeBuckets(), byPerformer()...),
		ratio: b.clientHistogram(class+"ratio", "Playing time over the time until the renditions were back.", ratioBuckets()),
		appeared: b.streamCounter("livepeer_segment_source_appeared_total",
			"Source segments that are in the playlists.", "profile", "seg_type"),
		allAppeared: b.streamCounter("livepeer_segment_transcoded_all_appeared_total",
			"Segments of which all renditions are in the playlists.", byPerformer()...),
		classes: []speedClass{
			{3, b.clientCounter(class+"3x", "Segments back in a third of their playing time or less.")},
			{2, b.clientCounter(class+"2x", "Segments back in a half to a third of their playing time.")},
			{1, b.clientCounter(class+"1x", "Segments back in their playing time down to half of it.")},
			{.5, b.clientCounter(class+"half", "Segments back in one to two times their playing time.")},
			{0, b.clientCounter(class+"slow", "Segments that took more than twice their playing time.")},
		},
	}
}

func (b *builder) single(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	b.reg.MustRegister(c)
	return c
}

// transcoded counts a segment that is in the playlists with all its renditions; by are the
// values of byPerformer.
func (p *pushSeries) transcoded(manifest string, by []string, ratio float64, took time.Duration) {
	p.latency.WithLabelValues(by...).Observe(took.Seconds())
	p.ratio.observe(manifest, ratio)
	p.appeared.add(manifest, 1, "source", "regular")
	p.allAppeared.add(manifest, 1, by...)
	for _, c := range p.classes {
		if ratio >= c.atLeast {
			c.count.add(manifest, 1)
			return
		}
	}
}
