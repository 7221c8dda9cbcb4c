// Package eventstream names the events that a node sends to its operator's message brokers, and the ports that send
// them: the event stream of live work, payments and discovery, and the reports of transcoded segments.
//
// Kinds and fields are those of the network's gateways, because the operator's analytics read them. Adapters send
// them (server/eventstream to Kafka, server/metadataqueue to an AMQP broker); gateways and remote signers report them.
// A port never blocks and never fails: work does not wait for a broker, and what cannot be sent is dropped and counted
// by the adapter.
package eventstream

import (
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
)

// Kind is the type of an event.
type Kind string

// The kinds that tutti reports. A runner may send others, which a gateway passes on (Forward).
const (
	// StreamTrace is a step in the life of a live stream.
	StreamTrace Kind = "stream_trace"
	// StreamEvents are changes of a live stream's parameters, its errors, and what its runner reports.
	StreamEvents Kind = "ai_stream_events"
	// StreamStatus is a runner's state.
	StreamStatus Kind = "ai_stream_status"
	// IngestMetrics is the quality of a publisher's connection.
	IngestMetrics Kind = "stream_ingest_metrics"
	// SignedTicket is a payment that a remote signer signed.
	SignedTicket Kind = "create_signed_ticket"
	// DiscoveryResults are the orchestrators that one discovery found.
	DiscoveryResults Kind = "discovery_results"
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

// Sink sends events. It is safe for concurrent use.
type Sink interface {
	// Send sends an event. data becomes JSON before Send returns and is not kept.
	Send(kind Kind, data any)
}

// Nop sends nothing.
type Nop struct{}

// Send does nothing.
func (Nop) Send(Kind, any) {}

// Orchestrator names one in an event. Account is empty off-chain.
type Orchestrator struct {
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

// Forward returns the kind under which a runner's event is passed on. A runner chooses kind and fields, so what only
// this node may report is refused: consumers take payments, discoveries and the gateway's own steps at their word.
func Forward(kind string, event map[string]any) (Kind, bool) {
	step, _ := event["type"].(string)
	if kind == "" {
		kind = string(StreamEvents)
	}
	if step == "status" {
		return StreamStatus, kind == string(StreamEvents) || kind == string(StreamStatus)
	}
	switch Kind(kind) {
	case IngestMetrics, SignedTicket, DiscoveryResults:
		return "", false
	case StreamTrace:
		return StreamTrace, step != OrchestratorSwap && !strings.HasPrefix(step, "gateway_")
	}
	if len(kind) > maxKind || !named(kind) || ownKind(kind) {
		return "", false
	}
	return Kind(kind), true
}

// ownKind reports kinds that other gateways report of themselves.
func ownKind(kind string) bool {
	return strings.HasPrefix(kind, "create_") || strings.HasPrefix(kind, "job_") || kind == "network_capabilities" ||
		kind == "worker_lifecycle"
}

// named reports whether a kind has lower-case letters, digits and underscores alone, and begins with a letter.
func named(kind string) bool {
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
	// Began is when the segment arrived, Took how long it took from then.
	Began   time.Time
	Took    time.Duration
	Success bool
	// Attempts are in order.
	Attempts []Attempt
}

// Attempt is one orchestrator's try at a segment. Error is empty for success, else a text without secrets.
type Attempt struct {
	By    core.Performer
	Took  time.Duration
	Error string
}

// Segments receives what became of segments. It is safe for concurrent use.
type Segments interface {
	// SegmentDone reports a segment, which is not kept.
	SegmentDone(s *Segment)
}
