package metrics

import (
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core"
)

// Recorder is the figures of one role. It implements core.Recorder and is safe
// for concurrent use.
type Recorder struct {
	streams                           *streams
	profiles, peers, codes, devices   *values
	success                           success
	push                              *pushSeries
	sessions                          *sessions
	transcoders, capacity, load       prometheus.Gauge
	emerged, emergedRaw, downloaded   streamCounter
	downloadTime, sourceDuration      streamHistogram
	bytes                             streamCounter
	transcoded, transcodedRaw, pixels streamCounter
	transcodeTime, score              streamHistogram
	overhead                          *prometheus.HistogramVec
	failed                            streamCounter
	uploaded                          streamCounter
	uploadFailed                      streamCounter
	uploadTime                        streamHistogram
	retried, swaps                    streamCounter
	moves                             *prometheus.CounterVec
	discoveryErrors                   *prometheus.CounterVec
	refusals, workerRestarts          *prometheus.CounterVec
}

var _ core.Recorder = (*Recorder)(nil)

// qualityLabels are the existing node's labels of transcoded segments. A node
// trusts its own transcoders; verification is the gateway's.
var qualityLabels = []string{"profiles", "trusted", "verified"}

func newRecorder(reg prometheus.Registerer, nodeType string, perStream bool) *Recorder {
	r := &Recorder{streams: newStreams(perStream), profiles: newValues(), peers: newValues(), codes: newValues(), devices: newValues()}
	b := &builder{reg: reg, streams: r.streams}
	r.sessionSeries(b)
	r.segmentSeries(b)
	r.transcodeSeries(b)
	if nodeType == Gateway {
		r.push = newPushSeries(b)
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "livepeer_success_rate", Help: "Share of the last 200 segments that were transcoded.",
		}, r.success.rate))
	}
	return r
}

func (r *Recorder) sessionSeries(b *builder) {
	r.sessions = newSessions(b.reg)
	r.transcoders = b.gauge("livepeer_transcoders_number", "Transcoders connected.")
	r.capacity = b.gauge("livepeer_transcoders_capacity", "Sessions that the connected transcoders offer together.")
	r.load = b.gauge("livepeer_transcoders_load", "Sessions that the connected transcoders work on.")
	r.discoveryErrors = b.counter("livepeer_discovery_errors_total", "Orchestrators that did not answer usably.", "error_code", "orchestrator_uri")
	r.refusals = b.counter("tutti_refusals_total", "Sessions that were not admitted, by fault code.", "code")
	r.workerRestarts = b.counter("tutti_worker_restarts_total", "Media workers that were replaced, by fault code.", "device", "code")
}

func (r *Recorder) segmentSeries(b *builder) {
	r.emerged = b.streamCounter("livepeer_segment_source_emerged_total", "Source segments received.")
	r.emergedRaw = b.streamCounter("livepeer_segment_source_emerged_unprocessed_total", "Source segments received.")
	r.downloaded = b.streamCounter("livepeer_segment_transcoded_downloaded_total", "Segment bodies received whole.")
	r.bytes = b.streamCounter("tutti_segment_source_bytes_total", "Bytes of source segments received.")
	r.downloadTime = b.streamHistogram("livepeer_download_time_seconds", "Time in which a source segment's body came in.", loadBuckets)
	r.sourceDuration = b.streamHistogram("livepeer_source_segment_duration_seconds", "Playing time of source segments.", durationBuckets)
	r.uploaded = b.streamCounter("livepeer_segment_source_uploaded_total", "Segments handed over.", "orchestrator_uri")
	r.uploadFailed = b.streamCounter("livepeer_segment_source_upload_failed_total", "Segments that could not be handed over.", "error_code", "orchestrator_uri")
	r.uploadTime = b.streamHistogram("livepeer_upload_time_seconds", "Time in which a segment was handed over.", loadBuckets, "orchestrator_uri")
}

func (r *Recorder) transcodeSeries(b *builder) {
	r.transcoded = b.streamCounter("livepeer_segment_transcoded_total", "Segments transcoded.", qualityLabels...)
	r.transcodedRaw = b.streamCounter("livepeer_segment_transcoded_unprocessed_total", "Segments transcoded.", "profiles")
	r.pixels = b.streamCounter("livepeer_mil_pixels_processed", "Pixels encoded, in millions.")
	r.transcodeTime = b.streamHistogram("livepeer_transcode_time_seconds", "Time from hand-over to result.", timeBuckets, qualityLabels...)
	r.score = b.streamHistogram("livepeer_transcode_score", "Playing time over transcode time; above 1 is faster than real time.", scoreBuckets, qualityLabels...)
	r.overhead = b.histogram("tutti_segment_overhead_seconds", "Time for a segment in which neither codecs worked nor others of its session were waited for.", overheadBuckets)
	r.failed = b.streamCounter("livepeer_segment_transcode_failed_total", "Segments without result, by fault code.", "error_code")
	r.retried = b.streamCounter("livepeer_transcode_retried", "Further attempts at a segment, by number.", "try")
	r.swaps = b.streamCounter("livepeer_orchestrator_swaps", "Streams that moved to another orchestrator.")
	r.moves = b.counter("tutti_orchestrator_swaps_total", "Streams that moved to another orchestrator, by why they left the one before, a fault code.", "code")
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

// SegmentTranscoded counts a segment's renditions.
func (r *Recorder) SegmentTranscoded(manifest core.ManifestID, profiles []string, duration, took time.Duration, encoded core.Pixels) {
	m, names := string(manifest), r.profiles.of(strings.Join(profiles, ","))
	r.success.add(true)
	r.transcoded.add(m, 1, names, "trusted", "unverified")
	r.transcodedRaw.add(m, 1, names)
	r.pixels.add(m, float64(max(encoded, 0))/1e6)
	r.transcodeTime.observe(m, took.Seconds(), names, "trusted", "unverified")
	ratio := 0.0
	if took > 0 {
		ratio = duration.Seconds() / took.Seconds()
		r.score.observe(m, ratio, names, "trusted", "unverified")
	}
	if r.push != nil {
		r.push.transcoded(m, names, ratio, took)
	}
}

// SegmentOverhead observes what this node took for itself.
func (r *Recorder) SegmentOverhead(own time.Duration) {
	r.overhead.WithLabelValues().Observe(own.Seconds())
}

// SegmentFailed counts a segment without result.
func (r *Recorder) SegmentFailed(manifest core.ManifestID, code string) {
	r.success.add(false)
	r.failed.add(string(manifest), 1, r.codes.of(code))
}

// SegmentUploaded counts a hand-over or its failure.
func (r *Recorder) SegmentUploaded(manifest core.ManifestID, orchestrator string, took time.Duration, code string) {
	m, peer := string(manifest), r.peers.of(orchestrator)
	if code != "" {
		r.uploadFailed.add(m, 1, r.codes.of(code), peer)
		return
	}
	r.uploaded.add(m, 1, peer)
	r.uploadTime.observe(m, took.Seconds(), peer)
}

// SegmentRetried counts a further attempt.
func (r *Recorder) SegmentRetried(manifest core.ManifestID, try int) {
	r.retried.add(string(manifest), 1, strconv.Itoa(min(max(try, 0), 10)))
}

// OrchestratorSwapped counts a stream's move.
func (r *Recorder) OrchestratorSwapped(manifest core.ManifestID, code string) {
	r.swaps.add(string(manifest), 1)
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
