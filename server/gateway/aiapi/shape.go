package aiapi

import (
	"bytes"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/sse"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// shape gives answers to chats the form that OpenAI's clients know. Nodes and runners of the
// existing network have one of their own, which clients of /llm get as it is.
type shape struct {
	// wanted: the client came to an address of OpenAI's.
	wanted bool
	stream sse.OpenAI
	// made is what stream made of the last piece.
	made []byte
}

// objectField says in an answer what it is.
const objectField = `,"object":"chat.completion"`

func (s *shape) begin(r *route, a *broker.Answer, job *inference.Job) {
	s.wanted = r.path == chatPath && job.Operation == inference.Chat
	s.stream, s.made = sse.OpenAI{Network: a.Node == "", Usage: !job.HideUsage}, nil
}

// feed is what the client gets for a piece of a stream. It holds until the next one.
func (s *shape) feed(p []byte) []byte {
	if !s.wanted || s.stream.Kept() {
		return p
	}
	s.made = s.stream.Feed(s.made[:0], p)
	return s.made
}

// end is what is still to be sent of a stream that came to its end.
func (s *shape) end() []byte {
	if !s.wanted {
		return nil
	}
	return s.stream.End(nil, false)
}

// failed reports whether the stream ended with a word of the network's for an answer that
// failed.
func (s *shape) failed() bool { return s.wanted && s.stream.Failed() }

// grows reports whether an answer may be sent longer than it came, by what has passed of it.
func (s *shape) grows(scan *sse.JSONScanner) bool { return s.wanted && !scan.Named() }

// last is the end of an answer that is one JSON object, which is whole.
func (s *shape) last(p []byte, scan *sse.JSONScanner) []byte {
	end := bytes.LastIndexByte(p, '}')
	if !s.grows(scan) || end < 0 {
		return p
	}
	out := make([]byte, 0, len(p)+len(objectField))
	out = append(append(out, p[:end]...), objectField...)
	return append(out, p[end:]...)
}
