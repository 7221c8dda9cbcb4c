package aiapi

import (
	"io"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// How long an answer may take after its first byte. Until it ends it holds a slot of its model's
// queue, and memory if it is read whole.
const (
	// maxSilence is how long an answer may bring nothing new. Models think, and some servers hold
	// back those tokens.
	maxSilence = 10 * time.Minute
	// timePerEvent extends the time for each event with content: the speed of the slowest usable
	// model.
	timePerEvent = 4 * time.Second
	// extendEvery is how often the bound is extended.
	extendEvery = 5 * time.Second
)

// How much an answer may be.
const (
	// freeEvents and freeBytes are allowed for any answer.
	freeEvents = 1 << 10
	freeBytes  = 16 << 20
	// eventsPerToken and bytesPerAnswerToken are allowed for each requested token: with the log
	// probabilities of twenty alternatives, all escaped. unboundTokens is assumed for requests
	// without a limit; it is a large model's context.
	eventsPerToken      = 4
	bytesPerAnswerToken = 16 << 10
	unboundTokens       = 1 << 20
	// bytesPerUnit is for the other pipelines: three masks with logits for each pixel.
	bytesPerUnit = 128
	// bytesPerInput is per byte of a request for embeddings, whose inputs may be one byte each.
	bytesPerInput = 32 << 10
)

// answerLimits bounds an answer's time and size.
type answerLimits struct {
	answer *broker.Answer
	// grace is allowed in any case; extended is when the bound was set last.
	grace             time.Duration
	began, extended   time.Time
	bytes, maxBytes   int64
	events, maxEvents int
}

// start starts the time limit.
func (p *answerLimits) start(a *broker.Answer, start time.Duration) {
	p.answer, p.grace, p.began = a, start, time.Now()
	p.extended = p.began
	a.Allow(start)
}

// setSize sets the size limits for a job with this token limit, 0 for none.
func (p *answerLimits) setSize(job *inference.Job, tokens inference.Tokens) {
	if tokens <= 0 {
		tokens = unboundTokens
	}
	tokens = min(tokens, 1<<40) // larger limits count as none
	p.maxEvents = freeEvents + eventsPerToken*int(tokens)
	switch {
	case job.Model.Capability != capability.LLM:
		p.maxBytes = freeBytes + bytesPerUnit*min(int64(job.Units), 1<<40)
	case !job.Operation.Generates():
		p.maxBytes = freeBytes + bytesPerInput*job.Size(job.Body)
	default:
		p.maxBytes = freeBytes + bytesPerAnswerToken*int64(tokens)
	}
}

// add accounts for n bytes, and the total number of events with content and of all events. It fails
// when there are more than allowed.
func (p *answerLimits) add(now time.Time, n, words, events int) error {
	p.bytes += int64(n)
	if p.maxBytes > 0 && (p.bytes > p.maxBytes || events > p.maxEvents) {
		return fault.New(fault.AnswerUnreadable, "relay answer", "the answer is far longer than what was asked for")
	}
	if words > p.events && now.Sub(p.extended) > extendEvery {
		p.events = words
		p.extend(now, time.Duration(words)*timePerEvent)
	}
	return nil
}

// extend extends the time beyond the grace period, counted from the start.
func (p *answerLimits) extend(now time.Time, more time.Duration) {
	p.extended = now
	p.answer.Allow(max(0, min(maxSilence, p.grace+more-now.Sub(p.began))))
}

// reader reads an answer that is no stream, at the minimum rate.
func (p *answerLimits) reader() io.Reader { return limitedReader{p} }

type limitedReader struct{ *answerLimits }

// Read returns what has arrived.
func (r limitedReader) Read(b []byte) (int, error) {
	n, err := r.answer.Body.Read(b)
	now := time.Now()
	if tooLong := r.add(now, n, 0, 0); tooLong != nil {
		return n, tooLong
	}
	if now.Sub(r.extended) > extendEvery {
		r.extend(now, time.Duration(r.bytes/minBodyRate)*time.Second)
	}
	return n, err
}
