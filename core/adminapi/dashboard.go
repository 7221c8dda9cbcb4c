package adminapi

import "time"

// The paths of what a dashboard shows. PathEvents is a stream of server-sent events:
// first "whole" with a Dashboard, then "update" with the fields of it that changed,
// where log and series have only what is new, and "beat" while nothing changes.
const (
	PathDashboard = Prefix + "/dashboard"
	PathEvents    = Prefix + "/events"
)

// The names of the events.
const (
	EventWhole  = "whole"
	EventUpdate = "update"
	EventBeat   = "beat"
)

// Dashboard is an operator's overview. Parts that the node does
// not have are empty lists, or null.
type Dashboard struct {
	Node       Node             `json:"node"`
	Gate       Gate             `json:"gate"`
	Conditions []RatedCondition `json:"troubles"`
	Sessions   Sessions         `json:"sessions"`
	Workers    []Worker         `json:"workers"`
	Runners    []LiveRunner     `json:"runners"`
	// Capabilities are the external ones.
	Capabilities []Capability `json:"capabilities"`
	GPUs         []GPU        `json:"gpus"`
	Models       []Model      `json:"models"`
	// Series are the last minutes, the oldest first, in steps of SeriesStep seconds.
	Series     []Point `json:"series"`
	SeriesStep int     `json:"seriesStep"`
	// Chain is null off-chain.
	Chain *ChainGlance `json:"chain"`
	// Refusals are the recent refusals, the most frequent first.
	Refusals []Refusal `json:"refusals"`
	// Log are the last lines, the oldest first.
	Log []LogEntry `json:"log"`
	// Settings are the node's options in the order of the documents.
	Settings []Option `json:"settings"`
}

// Gate says whether the node takes work.
type Gate struct {
	// Taking: at least one kind of work is accepted.
	Taking bool `json:"taking"`
	// Stopping: the node finishes what it has and ends.
	Stopping  bool       `json:"stopping"`
	WorkKinds []WorkKind `json:"doors"`
	// Drain is the state of the operator's drain, null if the node cannot drain.
	Drain *Drain `json:"drain"`
	// Reloaded is when the configuration was last reloaded, null before.
	Reloaded *time.Time `json:"reloaded"`
}

// WorkKind is one kind of work that the node takes, or does not take now.
type WorkKind struct {
	// Name is "video", "AI" or "streams".
	Name string `json:"name"`
	Open bool   `json:"open"`
	// Code and Reason are why it is closed, or why no work arrives although it is open.
	Code   string `json:"code"`
	Reason string `json:"reason"`
	// InUse of Limit sessions, jobs or streams; Limit 0 is no such number.
	InUse int `json:"inUse"`
	Limit int `json:"limit"`
}

// RatedCondition is a condition with its severity: "info",
// "warning" or "critical".
type RatedCondition struct {
	Condition
	Severity string `json:"severity"`
}

// Sessions are the streams that are worked on now.
type Sessions struct {
	// Total is how many there are, Behind how many of them fall behind real time. The
	// list has the slowest first and is bounded.
	Total  int       `json:"total"`
	Behind int       `json:"behind"`
	List   []Session `json:"list"`
}

// Session is one stream.
type Session struct {
	ID     string `json:"id"`
	Stream string `json:"stream"`
	// Peer is the gateway whose stream it is, or on a gateway the orchestrator that
	// has it; empty where it is not known.
	Peer string `json:"peer"`
	// Device did its last segment.
	Device string `json:"device"`
	// Renditions are the names of what is made of it.
	Renditions []string `json:"renditions"`
	// PixelsPerSecond is what it makes per second of playing time.
	PixelsPerSecond int64 `json:"pixelsPerSecond"`
	// Ratio is recent working time by playing time: above 1 it falls behind.
	Ratio    float64 `json:"ratio"`
	Behind   bool    `json:"behind"`
	Segments int64   `json:"segments"`
	Failed   int64   `json:"failed"`
	LastCode string  `json:"lastCode"`
	// MovedCode is why a gateway's stream left the orchestrator before this one; empty
	// where it did not.
	MovedCode string    `json:"movedCode"`
	Since     time.Time `json:"since"`
	Last      time.Time `json:"last"`
}

// GPU is one GPU. Loads are in percent, memory in bytes.
type GPU struct {
	ID     string `json:"id"`
	UUID   string `json:"uuid"`
	Name   string `json:"name"`
	Memory int64  `json:"memory"`
	Used   int64  `json:"used"`
	// Foreign is what programs use that are not this node's.
	Foreign         int64 `json:"foreign"`
	Load            int   `json:"load"`
	Encoder         int   `json:"encoder"`
	Decoder         int   `json:"decoder"`
	EncoderSessions int   `json:"encoderSessions"`
	Temperature     int   `json:"temperature"`
	// Throttled says why it runs slower than it could.
	Throttled string `json:"throttled"`
	// Problem says why it cannot be used.
	Problem string `json:"problem"`
	// Sampled: the loads are known.
	Sampled bool `json:"sampled"`
}

// Model is an AI model and where it is in its life.
type Model struct {
	Pipeline string    `json:"pipeline"`
	Model    string    `json:"model"`
	State    string    `json:"state"`
	Warm     bool      `json:"warm"`
	External bool      `json:"external"`
	Since    time.Time `json:"since"`
	Code     string    `json:"code"`
	Reason   string    `json:"reason"`
	Progress string    `json:"progress"`
	Capacity int       `json:"capacity"`
	InUse    int       `json:"inUse"`
	Waiting  int       `json:"waiting"`
	Devices  []string  `json:"devices"`
	Remote   bool      `json:"remote"`
}

// Point is what happened in one step of time. Times are in milliseconds; 0 where
// nothing happened.
type Point struct {
	// At is the step's begin, in seconds since 1970.
	At       int64 `json:"at"`
	Segments int64 `json:"segments"`
	Failed   int64 `json:"failed"`
	Refused  int64 `json:"refused"`
	// Sessions and InHand are the most that there were at once: sessions, and
	// segments in work or in line.
	Sessions int64 `json:"sessions"`
	InHand   int64 `json:"inHand"`
	Pixels   int64 `json:"pixels"`
	// SegmentMedian and SegmentHigh are the median and the 95th percentile of what
	// segments took; Ratio the 95th percentile of working time by playing time.
	SegmentMedian float64 `json:"segmentMedian"`
	SegmentHigh   float64 `json:"segmentHigh"`
	Ratio         float64 `json:"ratio"`
	Jobs          int64   `json:"jobs"`
	JobsFailed    int64   `json:"jobsFailed"`
	// FirstMedian and FirstHigh are of the time to an AI answer's first byte,
	// WaitHigh of the wait for a slot.
	FirstMedian float64 `json:"firstMedian"`
	FirstHigh   float64 `json:"firstHigh"`
	WaitHigh    float64 `json:"waitHigh"`
}

// ChainGlance is the chain in short.
type ChainGlance struct {
	Known     bool       `json:"known"`
	Stale     bool       `json:"stale"`
	Round     Round      `json:"round"`
	Head      uint64     `json:"head"`
	L1        uint64     `json:"l1"`
	HeadTime  time.Time  `json:"headTime"`
	Endpoints []Endpoint `json:"endpoints"`
}

// Refusal is how often something was recently refused for one reason.
type Refusal struct {
	// Gateway is the requester, empty if unknown.
	Gateway string    `json:"gateway"`
	Code    string    `json:"code"`
	About   string    `json:"about"`
	Count   int64     `json:"count"`
	Last    time.Time `json:"last"`
	Remedy  string    `json:"remedy"`
}

// Option is one option's value in effect, where secrets are masked, and where it came
// from. Pending is the value that it has after a restart, where that is another one.
type Option struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Origin  string `json:"origin"`
	Changed bool   `json:"changed"`
	Pending string `json:"pending"`
}
