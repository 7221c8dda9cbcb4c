package aiapi

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/sse"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// burstGap: a stream with shorter gaps arrives faster than any model writes.
const burstGap = time.Millisecond

// doneEvent ends a stream in OpenAI's format.
const doneEvent = "data: [DONE]\n\n"

// relayStream relays a stream of whole events, so that a stream that breaks off leaves no partial
// event with the client. Only an event larger than the big buffer is sent in parts.
func (x *relayedRequest) relayStream(a *broker.Answer, hide bool) error {
	x.costHeaders()
	x.beginStream(a.ContentType)
	x.renamer = sse.NewModelRenamer(x.modelName(), true)
	in := eventBuffer{request: x, buf: x.smallBuf[:]}
	defer in.close()
	defer x.recordStream()
	for {
		began := time.Now()
		n, err := a.Body.Read(in.free())
		now := time.Now()
		x.waited += now.Sub(began)
		busy := now.Sub(began) < burstGap
		if n > 0 {
			if x.stats.FirstByte == 0 {
				x.stats.FirstByte = now.Sub(x.began)
			}
			if whole := in.add(n); len(whole) > 0 {
				if err := x.sendPiece(whole, hide); err != nil {
					return err
				}
			}
			if err := x.limits.add(now, n, x.filter.Scanner.Content(), x.filter.Scanner.Events()); err != nil {
				return err
			}
			in.compact()
		}
		if err != nil {
			return x.endStream(in.rest(), err, hide)
		}
		if busy {
			// Data arrives fast: let other goroutines run, and send what arrives meanwhile in one
			// piece.
			runtime.Gosched()
		}
	}
}

// sendPiece scans a piece of a stream and sends it. The end of a stream without an answer, and
// unreadable events, are not sent.
func (x *relayedRequest) sendPiece(p []byte, hide bool) error {
	const op = "relay stream"
	p = x.renameModel(x.scanPiece(p, hide))
	s := &x.filter.Scanner
	switch {
	case s.Broken():
		return fault.New(fault.AnswerUnreadable, op, "an event of the stream is not a JSON object")
	case s.Done() && !s.Failed() && !x.hasContent():
		return fault.New(fault.AnswerUnreadable, op, "the stream ended without an answer in it")
	}
	if p = x.chatFormat.feed(p); len(p) > 0 {
		x.midEvent = !endsEvent(p)
		if err := x.emit(x.withCost(p)); err != nil {
			return err
		}
	}
	if s.Failed() || x.chatFormat.failed() {
		// Model servers may refuse a request after the answer has begun.
		x.refused = s.Content() == 0
		return fault.New(fault.CompletionBroken, op, "the stream ended with an error of the orchestrator")
	}
	return x.grant.Reach(x.plausible(x.completionTokens()))
}

// hasContent reports whether the stream has an answer so far: text, or a choice that finished
// without any.
func (x *relayedRequest) hasContent() bool {
	s := &x.filter.Scanner
	return s.Content() > 0 || s.Answered() && s.Finished()
}

// scanPiece scans a piece of a stream and returns the part that the client gets.
func (x *relayedRequest) scanPiece(p []byte, hide bool) []byte {
	if !hide {
		x.filter.Scanner.Feed(p)
		return p
	}
	x.filtered = x.filter.Feed(x.filtered[:0], p)
	return x.filtered
}

// renameModel puts the requested model name into a piece of an answer.
func (x *relayedRequest) renameModel(p []byte) []byte {
	if x.renamer.Settled() {
		return p
	}
	x.renamed = x.renamer.Feed(x.renamed[:0], p)
	return x.renamed
}

// completionTokens returns the number of answer tokens in the stream so far.
func (x *relayedRequest) completionTokens() inference.Tokens {
	return x.filter.Scanner.Usage().Completion
}

// recordStream records the stream's totals.
func (x *relayedRequest) recordStream() {
	x.stats.Usage = x.filter.Scanner.Usage()
	x.stats.Events = x.filter.Scanner.Events()
	// An event is at least one token. The orchestrator's own count holds only for a finished
	// answer.
	x.unitsDelivered = inference.Units(x.filter.Scanner.Content())
}

// endStream ends the client's stream after the orchestrator's ended with err, with rest after its
// last whole event.
func (x *relayedRequest) endStream(rest []byte, err error, hide bool) error {
	const op = "relay stream"
	s := &x.filter.Scanner
	if err != io.EOF {
		return brokenFault(op, err)
	}
	if wholeEvent(rest) {
		if err := x.sendPiece(endEvent(rest), hide); err != nil {
			return err
		}
	}
	switch {
	case x.midEvent, !s.Done() && !s.Finished():
		return fault.New(fault.CompletionBroken, op, "the stream ended before the answer was finished")
	case !x.hasContent():
		return fault.New(fault.AnswerUnreadable, op, "the stream ended without an answer in it")
	case !s.Done():
		// Orchestrators of the existing network do not send the done event.
		if err := x.emit(x.withCost(append(x.chatFormat.end(), doneEvent...))); err != nil {
			return err
		}
	}
	x.complete = true
	x.clearDeadline()
	return nil
}

// brokenFault is the fault of an answer that broke off.
func brokenFault(op string, err error) error {
	switch fault.CodeOf(err) {
	case fault.Unexpected:
		return &fault.Fault{Code: fault.CompletionBroken, Op: op, Detail: "the answer broke off", Err: err}
	default:
		return err
	}
}

// wholeEvent reports whether the data after the last empty line is an event that only lacks its
// empty line.
func wholeEvent(b []byte) bool {
	b = bytes.TrimSpace(b)
	data, ok := bytes.CutPrefix(b, []byte("data:"))
	data = bytes.TrimSpace(data)
	return ok && (string(data) == "[DONE]" || json.Valid(data))
}

// endEvent adds the missing empty line to an event.
func endEvent(b []byte) []byte {
	return append(bytes.TrimRight(b, "\r\n"), "\n\n"...)
}

// longestEnd is the length in bytes of the longest end of an event; see endsEvent.
const longestEnd = 3

// endsEvent reports whether a piece of a stream ends with an event.
func endsEvent(b []byte) bool {
	return bytes.HasSuffix(b, []byte("\n\n")) || bytes.HasSuffix(b, []byte("\n\r\n")) || bytes.HasSuffix(b, []byte("\r\r"))
}

// lastEvent returns the length of the part of b that is whole events. An empty line ends an event.
func lastEvent(b []byte) int {
	if endsEvent(b) {
		return len(b)
	}
	// Searched backwards: the last end of an event is usually near the end.
	for at := len(b); at > 1; {
		at = bytes.LastIndexAny(b[:at], "\n\r")
		if at > 0 && endsEvent(b[:at+1]) {
			return at + 1
		}
	}
	return 0
}
