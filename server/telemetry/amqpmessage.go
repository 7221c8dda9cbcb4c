package telemetry

import (
	"encoding/json"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tuttinode/tutti/core/telemetry"
)

const (
	keyPrefix = "broadcaster.stream_health.transcode."
	// maxKey is the protocol's bound of a routing key.
	maxKey = 255
	// maxAttempts and maxText bound a message, and with it the queue.
	maxAttempts = 20
	maxText     = 200
)

// transcoded is the message of a segment, with the fields that consumers know.
type transcoded struct {
	Kind      string    `json:"type"`
	ID        string    `json:"id"`
	Timestamp int64     `json:"timestamp"`
	Stream    string    `json:"streamId"`
	Node      string    `json:"nodeId"`
	Segment   segment   `json:"segment"`
	StartTime int64     `json:"startTime"`
	LatencyMs int64     `json:"latencyMs"`
	Success   bool      `json:"success"`
	Attempts  []attempt `json:"attempts"`
}

type segment struct {
	Name     string  `json:"name"`
	Number   int64   `json:"seqNo"`
	Duration float64 `json:"duration"`
	Bytes    int     `json:"byteSize"`
}

type attempt struct {
	Orchestrator orchestrator `json:"orchestrator"`
	LatencyMs    int64        `json:"latencyMs"`
	Error        *string      `json:"error"`
}

type orchestrator struct {
	Account string `json:"address"`
	URI     string `json:"transcodeUri"`
}

// amqpMessage is what waits for the broker.
type amqpMessage struct {
	key  string
	body []byte
	// tries counts how often it was sent without being confirmed.
	tries int
}

// describe makes the message of a segment.
func describe(s *telemetry.Segment, node string, now time.Time, random io.Reader) (*amqpMessage, error) {
	id, err := uuid.NewRandomFromReader(random)
	if err != nil {
		return nil, err
	}
	out := transcoded{
		Kind: "transcode", ID: id.String(), Timestamp: now.UnixMilli(), Stream: shorten(string(s.Manifest)), Node: node,
		Segment:   segment{Name: shorten(s.Name), Number: s.Number, Duration: s.Duration.Seconds(), Bytes: s.Bytes},
		StartTime: s.Began.UnixMilli(), LatencyMs: s.Took.Milliseconds(), Success: s.Success, Attempts: []attempt{},
	}
	for _, a := range s.Attempts[:min(len(s.Attempts), maxAttempts)] {
		one := attempt{Orchestrator: orchestrator{shorten(a.By.Address), shorten(a.By.URI)}, LatencyMs: a.Took.Milliseconds()}
		if a.Error != "" {
			text := shorten(a.Error)
			one.Error = &text
		}
		out.Attempts = append(out.Attempts, one)
	}
	body, err := json.Marshal(&out)
	if err != nil {
		return nil, err
	}
	return &amqpMessage{key: routingKey(string(s.Manifest)), body: body}, nil
}

// routingKey names a stream in the exchange. Consumers share streams by its first character. Clients choose names of
// streams: a name is cut to the protocol's bound, and its pattern characters stand for no others in a key.
func routingKey(manifest string) string {
	manifest = strings.ToValidUTF8(manifest, "")
	first, _ := utf8.DecodeRuneInString(manifest)
	if manifest == "" || first == '.' {
		first = '_'
	}
	key := keyPrefix + string(first) + "." + manifest
	if len(key) > maxKey {
		key = strings.ToValidUTF8(key[:maxKey], "")
	}
	return key
}

// shorten bounds a text that others chose.
func shorten(s string) string {
	if len(s) > maxText {
		s = s[:maxText]
	}
	return strings.ToValidUTF8(s, "")
}
