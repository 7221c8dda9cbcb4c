package aiapi

import (
	"bytes"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/sse"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// openAIChat gives answers to chats the form that OpenAI's clients know. Nodes and runners of the
// existing network have their own form, which clients of /llm get unchanged.
type shape struct {
	// enabled: the client used OpenAI's route.
	wanted bool
	stream sse.OpenAI
	// buf holds the converted form of the last piece.
	made []byte
}

// objectField is OpenAI's type marker of an answer.
const objectField = `,"object":"chat.completion"`

func (s *shape) begin(r *route, a *broker.Answer, job *inference.Job) {
	s.wanted = r.path == chatPath && job.Operation == inference.Chat
	s.stream, s.made = sse.OpenAI{Network: a.Node == "", Usage: !job.HideUsage}, nil
}

// feed converts a piece of a stream. The result is valid until the next call.
func (s *shape) feed(p []byte) []byte {
	if !s.wanted || s.stream.Kept() {
		return p
	}
	s.made = s.stream.Feed(s.made[:0], p)
	return s.made
}

// end is what remains to be sent when a stream ends.
func (s *shape) end() []byte {
	if !s.wanted {
		return nil
	}
	return s.stream.End(nil, false)
}

// failed reports whether the stream ended with the network's marker of a failed answer.
func (s *shape) failed() bool { return s.wanted && s.stream.Failed() }

// grows reports whether the answer may be sent longer than it arrived, as far as it was scanned.
func (s *shape) grows(scan *sse.JSONScanner) bool { return s.wanted && !scan.Named() }

// last is the last piece of an answer that is one JSON object, with the type marker added.
func (s *shape) last(p []byte, scan *sse.JSONScanner) []byte {
	end := bytes.LastIndexByte(p, '}')
	if !s.grows(scan) || end < 0 {
		return p
	}
	out := make([]byte, 0, len(p)+len(objectField))
	out = append(append(out, p[:end]...), objectField...)
	return append(out, p[end:]...)
}
