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
const burst = time.Millisecond

// doneEvent ends a stream in OpenAI's format.
const doneEvent = "data: [DONE]\n\n"

// relayStream relays a stream of whole events, so that a stream that breaks off leaves no partial
// event with the client. Only an event larger than the big buffer is sent in parts.
func (x *exchange) relayStream(a *broker.Answer, hide bool) error {
	x.beginStream(a.ContentType)
	x.named = sse.NewNamed(x.figures.Model.ID, true)
	in := intake{x: x, buf: x.small[:]}
	defer in.close()
	defer x.sum()
	for {
		began := time.Now()
		n, err := a.Body.Read(in.room())
		now := time.Now()
		x.waited += now.Sub(began)
		busy := now.Sub(began) < burst
		if n > 0 {
			if x.figures.FirstByte == 0 {
				x.figures.FirstByte = now.Sub(x.began)
			}
			if whole := in.took(n); len(whole) > 0 {
				if err := x.pass(whole, hide); err != nil {
					return err
				}
			}
			if err := x.pace.took(now, n, x.scan.Scanner.Content(), x.scan.Scanner.Events()); err != nil {
				return err
			}
			in.keep()
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
func (x *exchange) pass(p []byte, hide bool) error {
	const op = "relay stream"
	p = x.rename(x.look(p, hide))
	s := &x.scan.Scanner
	switch {
	case s.Broken():
		return fault.New(fault.AnswerUnreadable, op, "an event of the stream is not a JSON object")
	case s.Done() && !s.Failed() && !x.spoken():
		return fault.New(fault.AnswerUnreadable, op, "the stream ended without an answer in it")
	}
	if p = x.shape.feed(p); len(p) > 0 {
		x.mid = !endsEvent(p)
		if err := x.send(p); err != nil {
			return err
		}
	}
	if s.Failed() || x.shape.failed() {
		// Model servers may refuse a request after the answer has begun.
		x.refused = s.Content() == 0
		return fault.New(fault.CompletionBroken, op, "the stream ended with an error of the orchestrator")
	}
	return x.grant.Reach(x.believed(x.completion()))
}

// hasContent reports whether the stream has an answer so far: text, or a choice that finished
// without any.
func (x *exchange) spoken() bool {
	s := &x.scan.Scanner
	return s.Content() > 0 || s.Answered() && s.Finished()
}

// scanPiece scans a piece of a stream and returns the part that the client gets.
func (x *exchange) look(p []byte, hide bool) []byte {
	if !hide {
		x.scan.Scanner.Feed(p)
		return p
	}
	x.out = x.scan.Feed(x.out[:0], p)
	return x.out
}

// renameModel puts the requested model name into a piece of an answer.
func (x *exchange) rename(p []byte) []byte {
	if x.named.Settled() {
		return p
	}
	x.renamed = x.named.Feed(x.renamed[:0], p)
	return x.renamed
}

// completionTokens is the number of answer tokens in the stream so far.
func (x *exchange) completion() inference.Tokens { return x.scan.Scanner.Usage().Completion }

// recordStream records the stream's totals.
func (x *exchange) sum() {
	x.figures.Usage = x.scan.Scanner.Usage()
	x.figures.Events = x.scan.Scanner.Events()
	// An event is at least one token. The orchestrator's own count holds only for a finished
	// answer.
	x.came = inference.Units(x.scan.Scanner.Content())
}

// endStream ends the client's stream after the orchestrator's ended with err, with rest after its
// last whole event.
func (x *exchange) endStream(rest []byte, err error, hide bool) error {
	const op = "relay stream"
	s := &x.scan.Scanner
	if err != io.EOF {
		return brokenFault(op, err)
	}
	if wholeEvent(rest) {
		if err := x.pass(endEvent(rest), hide); err != nil {
			return err
		}
	}
	switch {
	case x.mid, !s.Done() && !s.Finished():
		return fault.New(fault.CompletionBroken, op, "the stream ended before the answer was finished")
	case !x.spoken():
		return fault.New(fault.AnswerUnreadable, op, "the stream ended without an answer in it")
	case !s.Done():
		// Orchestrators of the existing network do not send the done event.
		if err := x.send(append(x.shape.end(), doneEvent...)); err != nil {
			return err
		}
	}
	x.answered = true
	x.sendDone()
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

// lastEvent is the length of the part of b that is whole events. An empty line ends an event.
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
