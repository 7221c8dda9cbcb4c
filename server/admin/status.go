package admin

import (
	"net/http"
	"runtime"
	"time"
)

// Status is the answer of /status, with the existing node's keys.
type Status struct {
	// Manifests and InternalManifests are a gateway's streams: by public name
	// what is played, and the internal name of each.
	Manifests         map[string]any    `json:"Manifests"`
	InternalManifests map[string]string `json:"InternalManifests"`
	// StreamInfo is by manifest.
	StreamInfo            map[string]StreamInfo `json:"StreamInfo"`
	OrchestratorPool      []string              `json:"OrchestratorPool"`
	OrchestratorPoolInfos []PoolInfo            `json:"OrchestratorPoolInfos"`

	Version              string `json:"Version"`
	GolangRuntimeVersion string `json:"GolangRuntimeVersion"`
	GOArch               string `json:"GOArch"`
	GOOS                 string `json:"GOOS"`

	RegisteredTranscodersNumber int              `json:"RegisteredTranscodersNumber"`
	RegisteredTranscoders       []TranscoderInfo `json:"RegisteredTranscoders"`
	// LocalTranscoding: this process transcodes itself.
	LocalTranscoding bool `json:"LocalTranscoding"`
	// BroadcasterPrices are rational numbers as text, by gateway.
	BroadcasterPrices map[string]string `json:"BroadcasterPrices"`
}

// StreamInfo is a stream's traffic, in bytes.
type StreamInfo struct {
	SourceBytes     uint64
	TranscodedBytes uint64
}

// PoolInfo is one orchestrator that a gateway knows.
type PoolInfo struct {
	URL     string `json:"Url"`
	Score   float64
	Latency time.Duration
}

// TranscoderInfo is one remote transcoder.
type TranscoderInfo struct {
	Address  string
	Capacity int
}

// complete fills in what is the same for every node and makes empty what would
// be null: existing tools range over these fields.
func (s Status) complete() Status {
	s.GolangRuntimeVersion, s.GOArch, s.GOOS = runtime.Version(), runtime.GOARCH, runtime.GOOS
	s.Manifests = orEmptyMap(s.Manifests)
	s.InternalManifests = orEmptyMap(s.InternalManifests)
	s.StreamInfo = orEmptyMap(s.StreamInfo)
	s.BroadcasterPrices = orEmptyMap(s.BroadcasterPrices)
	s.OrchestratorPool = orEmpty(s.OrchestratorPool)
	s.OrchestratorPoolInfos = orEmpty(s.OrchestratorPoolInfos)
	s.RegisteredTranscoders = orEmpty(s.RegisteredTranscoders)
	return s
}

func orEmptyMap[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

func orEmpty[V any](s []V) []V {
	if s == nil {
		return []V{}
	}
	return s
}

func (s *Server) status(w http.ResponseWriter, _ *http.Request) error {
	var st Status
	if s.opts.Node.Status != nil {
		st = s.opts.Node.Status()
	}
	writeJSON(w, st.complete())
	return nil
}
