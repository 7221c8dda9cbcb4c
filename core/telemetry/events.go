package telemetry

import (
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
)

// EventKind is the type of an event.
type EventKind string

// The kinds that tutti reports. A runner may send others, which a gateway passes on (Forward).
const (
	// StreamTrace is a step in the life of a live stream.
	StreamTrace EventKind = "stream_trace"
	// StreamEvents are changes of a live stream's parameters, its errors, and what its runner reports.
	StreamEvents EventKind = "ai_stream_events"
	// StreamStatus is a runner's state.
	StreamStatus EventKind = "ai_stream_status"
	// IngestMetrics is the quality of a publisher's connection.
	IngestMetrics EventKind = "stream_ingest_metrics"
	// SignedTicket is a payment that a remote signer signed.
	SignedTicket EventKind = "create_signed_ticket"
	// DiscoveryResults are the orchestrators that one discovery found.
	DiscoveryResults EventKind = "discovery_results"
)

// Steps of a StreamTrace, its field "type".
const (
	ReceivedStream   = "gateway_receive_stream_request"
	ClosedStream     = "gateway_ingest_stream_closed"
	SentFirst        = "gateway_send_first_ingest_segment"
	ReceivedFirst    = "gateway_receive_first_processed_segment"
	ReceivedFew      = "gateway_receive_few_processed_segments"
	NoOrchestrator   = "gateway_no_orchestrators_available"
	OrchestratorSwap = "orchestrator_swap"
)

// EventSink sends events. It is safe for concurrent use.
type EventSink interface {
	// Send sends an event. data becomes JSON before Send returns and is not kept.
	Send(kind EventKind, data any)
}

// EventOrchestrator identifies an orchestrator in an event. Account is empty off-chain.
type EventOrchestrator struct {
	Account string `json:"address"`
	URL     string `json:"url"`
}

// Discovered is one entry of DiscoveryResults.
type Discovered struct {
	Account string `json:"address"`
	URL     string `json:"url"`
	// LatencyMs is a whole number, as text.
	LatencyMs string `json:"latency_ms"`
}

// maxKind bounds the kind that a runner chooses.
const maxKind = 64

// Forward returns the kind under which a runner's event is passed on. A runner chooses kind and fields, so kinds
// that only a gateway may report are refused: consumers trust events of payments, discoveries and a gateway's steps.
func Forward(kind string, event map[string]any) (EventKind, bool) {
	step, _ := event["type"].(string)
	if kind == "" {
		kind = string(StreamEvents)
	}
	if step == "status" {
		return StreamStatus, kind == string(StreamEvents) || kind == string(StreamStatus)
	}
	switch EventKind(kind) {
	case IngestMetrics, SignedTicket, DiscoveryResults:
		return "", false
	case StreamTrace:
		return StreamTrace, step != OrchestratorSwap && !strings.HasPrefix(step, "gateway_")
	}
	if len(kind) > maxKind || !validKind(kind) || gatewayKind(kind) {
		return "", false
	}
	return EventKind(kind), true
}

// gatewayKind reports whether a kind is one that the network's gateways use for their own events.
func gatewayKind(kind string) bool {
	return strings.HasPrefix(kind, "create_") || strings.HasPrefix(kind, "job_") || kind == "network_capabilities" ||
		kind == "worker_lifecycle"
}

// validKind reports whether a kind begins with a lower-case letter and has only lower-case letters, digits and
// underscores.
func validKind(kind string) bool {
	for i, c := range kind {
		if (c < 'a' || c > 'z') && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return true
}

// Segment is a pushed segment that was transcoded, or failed.
type Segment struct {
	Manifest core.ManifestID
	Name     string
	Number   int64
	Duration time.Duration
	Bytes    int
	// Began is when the segment arrived, Took the time from then to the result.
	Began   time.Time
	Took    time.Duration
	Success bool
	// Attempts are in the order in which they were made.
	Attempts []Attempt
}

// Attempt is one orchestrator's try at a segment. Error is empty for success, else a text without secrets.
type Attempt struct {
	By    core.Performer
	Took  time.Duration
	Error string
}

// Segments receives the result of each segment. It is safe for concurrent use.
type Segments interface {
	// SegmentDone reports a segment. It does not keep s after it returns.
	SegmentDone(s *Segment)
}
