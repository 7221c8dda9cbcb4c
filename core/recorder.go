package core

import "time"

// Recorder receives what happened, to be counted. The server's metrics package
// implements it for Prometheus; NopRecorder ignores everything. Calls are cheap,
// never block and never fail. Names of the series are the implementation's.
type Recorder interface {
	// SegmentReceived: a source segment arrived whole (orchestrator or gateway).
	SegmentReceived(manifest ManifestID, bytes int, duration, download time.Duration)
	// StreamClient: the next events of a stream are of work that a client sent; address is its IP address.
	StreamClient(manifest ManifestID, address string)
	// SegmentTranscoded: all renditions are done. done is not kept.
	SegmentTranscoded(done *Transcoded)
	// SegmentFailed: no renditions; code is the fault's stable token.
	SegmentFailed(manifest ManifestID, code string)
	// SegmentOverhead: the part of an orchestrator's time for a segment in which neither
	// codecs worked nor the session's other segments were waited for.
	SegmentOverhead(own time.Duration)
	// SegmentUploaded: a gateway sent a segment to an orchestrator; code is the fault, "" on success.
	SegmentUploaded(manifest ManifestID, orchestrator string, took time.Duration, code string)
	// SegmentRetried: a gateway or pool starts attempt number try (2, 3, …).
	SegmentRetried(manifest ManifestID, try int)
	// OrchestratorSwapped: a gateway's stream moved to another orchestrator; code is the
	// fault for which it left the one before.
	OrchestratorSwapped(manifest ManifestID, code string)
	// DiscoveryFailed: an orchestrator did not answer usably.
	DiscoveryFailed(orchestrator, code string)
	// Sessions reports the sessions in use and the limit after a change.
	Sessions(inUse, limit int)
	// SessionRefused: a new session was not admitted; code says why.
	SessionRefused(code string)
	// StreamCreated and StreamEnded: a gateway's stream began or went idle.
	StreamCreated(manifest ManifestID)
	StreamEnded(manifest ManifestID)
	// WorkerRestarted: a media worker was replaced; reason is a fault code.
	WorkerRestarted(device, reason string)
	// Transcoders reports the connected transcoders, the sessions they offer
	// together and the sessions they work on, after a change.
	Transcoders(number, capacity, load int)
}

// Transcoded is a segment of which all renditions are done.
type Transcoded struct {
	Manifest ManifestID
	// Profiles are the renditions' names in order.
	Profiles []string
	// Duration is the playing time, Took the wall time from hand-over to result.
	Duration, Took time.Duration
	Encoded        Pixels
	// Verified says that the renditions are this node's own work, or were checked.
	Verified bool
	// By is the orchestrator that did a gateway's segment; it is empty on other nodes.
	By Performer
}

// Performer is an orchestrator as a gateway knows it. Address is empty off-chain.
type Performer struct{ URI, Address, Version string }

// NopRecorder ignores everything. Embed it to implement only part of Recorder.
type NopRecorder struct{}

// SegmentReceived ignores the event.
func (NopRecorder) SegmentReceived(ManifestID, int, time.Duration, time.Duration) {}

// StreamClient ignores the event.
func (NopRecorder) StreamClient(ManifestID, string) {}

// SegmentTranscoded ignores the event.
func (NopRecorder) SegmentTranscoded(*Transcoded) {}

// SegmentFailed ignores the event.
func (NopRecorder) SegmentFailed(ManifestID, string) {}

// SegmentOverhead ignores the event.
func (NopRecorder) SegmentOverhead(time.Duration) {}

// SegmentUploaded ignores the event.
func (NopRecorder) SegmentUploaded(ManifestID, string, time.Duration, string) {}

// SegmentRetried ignores the event.
func (NopRecorder) SegmentRetried(ManifestID, int) {}

// OrchestratorSwapped ignores the event.
func (NopRecorder) OrchestratorSwapped(ManifestID, string) {}

// DiscoveryFailed ignores the event.
func (NopRecorder) DiscoveryFailed(string, string) {}

// Sessions ignores the event.
func (NopRecorder) Sessions(int, int) {}

// SessionRefused ignores the event.
func (NopRecorder) SessionRefused(string) {}

// StreamCreated ignores the event.
func (NopRecorder) StreamCreated(ManifestID) {}

// StreamEnded ignores the event.
func (NopRecorder) StreamEnded(ManifestID) {}

// WorkerRestarted ignores the event.
func (NopRecorder) WorkerRestarted(string, string) {}

// Transcoders ignores the event.
func (NopRecorder) Transcoders(int, int, int) {}
