package metrics

import (
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core"
)

// Recorder are the metrics of one role. It implements core.Recorder and is safe for concurrent
// use.
type Recorder struct {
	streams                         *streams
	profiles, peers, codes, devices *values
	performers                      *performers
	success                         success
	push                            *pushSeries
	sessions                        *sessions
	capacityMetrics
	transferMetrics
	transcodeMetrics
}

// capacityMetrics are the series of sessions and of their workers.
type capacityMetrics struct {
	transcoders, capacity, load prometheus.Gauge
	swaps                       prometheus.Counter
	moves                       *prometheus.CounterVec
	discoveryErrors             *prometheus.CounterVec
	refusals, workerRestarts    *prometheus.CounterVec
}

// transferMetrics are the series of segments that come and go.
type transferMetrics struct {
	emerged, emergedRaw, downloaded streamCounter
	downloadTime, sourceDuration    streamHistogram
	bytes, pixels                   streamCounter
	failed, uploaded, uploadFailed  *prometheus.CounterVec
}

// transcodeMetrics are the series of transcoded segments.
type transcodeMetrics struct {
	transcoded, transcodedRaw        *prometheus.CounterVec
	transcodeTime, score, uploadTime *prometheus.HistogramVec
	overhead                         *prometheus.HistogramVec
	retried                          *prometheus.CounterVec
}

var _ core.Recorder = (*Recorder)(nil)

// qualityLabels are the existing node's labels of transcoded segments. A node trusts and
// verifies its own transcoders' work; a gateway verifies with -localVerify.
func qualityLabels() []string { return []string{"profiles", "trusted", "verified"} }

// performerLabels name the orchestrator of a gateway's segment. Other nodes leave them empty,
// which to Prometheus is as if they were not there.
func performerLabels() []string {
	return []string{"orchestrator_uri", "orchestrator_address", "orchestrator_version"}
}

// verified returns the label's value.
func verified(yes bool) string {
	if yes {
		return "verified"
	}
	return "unverified"
}

func newRecorder(reg prometheus.Registerer, nodeType string, of *streams) *Recorder {
	r := &Recorder{streams: of, profiles: newValues(), peers: newValues(), codes: newValues(),
		devices: newValues(), performers: newPerformers()}
	b := &builder{reg: reg, streams: r.streams}
	r.sessionSeries(b)
	r.segmentSeries(b)
	r.transcodeSeries(b)
	if nodeType == Gateway {
		r.push = newPushSeries(b)
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "livepeer_success_rate", Help: "Share of the last 200 segments that were transcoded.",
		}, r.success.rate))
		r.streams.watchSuccess(b.streamGauge("livepeer_success_rate_per_stream",
			"Share of a stream's last 200 segments that were transcoded."))
	}
	return r
}

func (r *Recorder) sessionSeries(b *builder) {
	r.sessions = newSessions(b.reg)
	r.transcoders = b.gauge("livepeer_transcoders_number", "Transcoders connected.")
	r.capacity = b.gauge("livepeer_transcoders_capacity", "Sessions that the connected transcoders offer together.")
	r.load = b.gauge("livepeer_transcoders_load", "Sessions that the connected transcoders work on.")
	r.discoveryErrors = b.counter("livepeer_discovery_errors_total", "Orchestrators that did not answer usably.",
		"error_code", "orchestrator_uri")
	r.refusals = b.counter("tutti_refusals_total", "Sessions that were not admitted, by fault code.", "code")
	r.workerRestarts = b.counter("tutti_worker_restarts_total", "Media workers that were replaced, by fault code.",
		"device", "code")
}

func (r *Recorder) segmentSeries(b *builder) {
	r.emerged = b.clientCounter("livepeer_segment_source_emerged_total", "Source segments received.")
	r.emergedRaw = b.clientCounter("livepeer_segment_source_emerged_unprocessed_total", "Source segments received.")
	r.downloaded = b.streamCounter("livepeer_segment_transcoded_downloaded_total", "Segment bodies received whole.")
	r.bytes = b.streamCounter("tutti_segment_source_bytes_total", "Bytes of source segments received.")
	r.downloadTime = b.streamHistogram("livepeer_download_time_seconds", "Time in which a source segment's body came in.",
		loadBuckets())
	r.sourceDuration = b.streamHistogram("livepeer_source_segment_duration_seconds", "Playing time of source segments.",
		durationBuckets())
	r.uploaded = b.counter("livepeer_segment_source_uploaded_total", "Segments handed over.", "orchestrator_uri")
	r.uploadFailed = b.counter("livepeer_segment_source_upload_failed_total", "Segments that could not be handed over.",
		"error_code", "orchestrator_uri")
	r.uploadTime = b.histogram("livepeer_upload_time_seconds", "Time in which a segment was handed over.", loadBuckets(),
		"orchestrator_uri")
}

func (r *Recorder) transcodeSeries(b *builder) {
	r.transcoded = b.counter("livepeer_segment_transcoded_total", "Segments transcoded.", qualityLabels()...)
	r.transcodedRaw = b.counter("livepeer_segment_transcoded_unprocessed_total", "Segments transcoded.", byPerformer()...)
	r.pixels = b.clientCounter("livepeer_mil_pixels_processed", "Pixels encoded, in millions.")
	r.transcodeTime = b.histogram("livepeer_transcode_time_seconds", "Time from hand-over to result.", timeBuckets(),
		qualityLabels()...)
	r.score = b.histogram("livepeer_transcode_score",
		"Playing time over transcode time; above 1 is faster than real time.", scoreBuckets(), qualityLabels()...)
	r.overhead = b.histogram("tutti_segment_overhead_seconds",
		"Time for a segment in which neither codecs worked nor others of its session were waited for.", overheadBuckets())
	r.failed = b.counter("livepeer_segment_transcode_failed_total", "Segments without result, by fault code.",
		"error_code")
	r.retried = b.counter("livepeer_transcode_retried", "Further attempts at a segment, by number.", "try")
	r.swaps = b.single("livepeer_orchestrator_swaps", "Streams that moved to another orchestrator.")
	r.moves = b.counter("tutti_orchestrator_swaps_total",
		"Streams that moved to another orchestrator, by why they left the one before, a fault code.", "code")
}

// SegmentReceived counts a source segment.
func (r *Recorder) SegmentReceived(manifest core.ManifestID, bytes int, duration, download time.Duration) {
	m := string(manifest)
	r.emerged.add(m, 1)
	r.emergedRaw.add(m, 1)
	r.downloaded.add(m, 1)
	r.bytes.add(m, float64(max(bytes, 0)))
	r.downloadTime.observe(m, download.Seconds())
	r.sourceDuration.observe(m, duration.Seconds())
}

// StreamClient sets the label client_ip of a stream.
func (r *Recorder) StreamClient(manifest core.ManifestID, address string) {
	r.streams.client(string(manifest), address)
}

// SegmentTranscoded counts a segment's renditions.
func (r *Recorder) SegmentTranscoded(done *core.Transcoded) {
	m, names := string(done.Manifest), r.profiles.of(strings.Join(done.Profiles, ","))
	quality := []string{names, "trusted", verified(done.Verified)}
	by := r.performers.of(names, done.By)
	r.success.add(true)
	r.streams.result(m, true)
	r.transcoded.WithLabelValues(quality...).Inc()
	r.transcodedRaw.WithLabelValues(by...).Inc()
	r.pixels.add(m, float64(max(done.Encoded, 0))/1e6)
	r.transcodeTime.WithLabelValues(quality...).Observe(done.Took.Seconds())
	ratio := 0.0
	if done.Took > 0 {
		ratio = done.Duration.Seconds() / done.Took.Seconds()
		r.score.WithLabelValues(quality...).Observe(ratio)
	}
	if r.push != nil {
		r.push.transcoded(m, by, ratio, done.Took)
	}
}

// SegmentOverhead observes this node's own time for a segment.
func (r *Recorder) SegmentOverhead(own time.Duration) {
	r.overhead.WithLabelValues().Observe(own.Seconds())
}

// SegmentFailed counts a segment without result.
func (r *Recorder) SegmentFailed(manifest core.ManifestID, code string) {
	r.success.add(false)
	r.streams.result(string(manifest), false)
	r.failed.WithLabelValues(r.codes.of(code)).Inc()
}

// SegmentUploaded counts a hand-over or its failure.
func (r *Recorder) SegmentUploaded(_ core.ManifestID, orchestrator string, took time.Duration, code string) {
	peer := r.peers.of(orchestrator)
	if code != "" {
		r.uploadFailed.WithLabelValues(r.codes.of(code), peer).Inc()
		return
	}
	r.uploaded.WithLabelValues(peer).Inc()
	r.uploadTime.WithLabelValues(peer).Observe(took.Seconds())
}

// SegmentRetried counts a further attempt.
func (r *Recorder) SegmentRetried(_ core.ManifestID, try int) {
	r.retried.WithLabelValues(strconv.Itoa(min(max(try, 0), 10))).Inc()
}

// OrchestratorSwapped counts a stream's move.
func (r *Recorder) OrchestratorSwapped(_ core.ManifestID, code string) {
	r.swaps.Inc()
	r.moves.WithLabelValues(r.codes.of(code)).Inc()
}

// DiscoveryFailed counts an orchestrator that did not answer usably.
func (r *Recorder) DiscoveryFailed(orchestrator, code string) {
	r.discoveryErrors.WithLabelValues(r.codes.of(code), r.peers.of(orchestrator)).Inc()
}

// SessionRefused counts a session that was not admitted.
func (r *Recorder) SessionRefused(code string) { r.refusals.WithLabelValues(r.codes.of(code)).Inc() }

// StreamCreated counts a stream of a gateway.
func (r *Recorder) StreamCreated(core.ManifestID) {
	if r.push != nil {
		r.push.created.Inc()
		r.push.started.Inc()
	}
}

// StreamEnded counts the end of a stream and forgets its series.
func (r *Recorder) StreamEnded(manifest core.ManifestID) {
	if r.push != nil {
		r.push.ended.Inc()
	}
	r.streams.ended(string(manifest))
}

// WorkerRestarted counts a media worker's replacement.
func (r *Recorder) WorkerRestarted(device, reason string) {
	r.workerRestarts.WithLabelValues(r.devices.of(device), r.codes.of(reason)).Inc()
}

// Transcoders shows the connected transcoders.
func (r *Recorder) Transcoders(number, capacity, load int) {
	r.transcoders.Set(float64(number))
	r.capacity.Set(float64(capacity))
	r.load.Set(float64(load))
}
