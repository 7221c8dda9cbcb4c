package aiapi

import (
	"io"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// How long an answer may take after its first byte. An answer holds a slot of its model's
// queue, and one that is read whole holds memory, which others wait for.
const (
	// silence is how long an answer may bring nothing new. Models think, and servers hold
	// back what they think.
	silence = 10 * time.Minute
	// perEvent is what each event with words adds: the pace of the slowest model that is of
	// use.
	perEvent = 4 * time.Second
	// paceStep is how often the bound is set again.
	paceStep = 5 * time.Second
)

// How much an answer may be.
const (
	// eventsFree and bytesFree are for any answer.
	eventsFree = 1 << 10
	bytesFree  = 16 << 20
	// eventsPerToken and bytesPerAnswerToken are for each token that was asked for: with
	// the probabilities of twenty others for each, and all in escapes. unboundTokens is for
	// requests without a bound, as many as a model's context has.
	eventsPerToken      = 4
	bytesPerAnswerToken = 16 << 10
	unboundTokens       = 1 << 20
	// bytesPerUnit is for the other pipelines: three masks with logits for each pixel.
	bytesPerUnit = 128
	// bytesPerInput is for each byte of a request for embeddings, whose inputs may be
	// that short.
	bytesPerInput = 32 << 10
)

// pace holds an answer to the time and the size that it may have.
type pace struct {
	answer *broker.Answer
	// start is how long it may take in any case. least is the time after which it is set
	// again.
	start         time.Duration
	began, set    time.Time
	bytes, most   int64
	events, limit int
}

// begin begins to hold an answer to its bounds.
func (p *pace) begin(a *broker.Answer, start time.Duration) {
	p.answer, p.start, p.began = a, start, time.Now()
	p.set = p.began
	a.Allow(start)
}

// size sets the bounds of size: for tokens, 0 where the request has no bound.
func (p *pace) size(job *inference.Job, tokens inference.Tokens) {
	if tokens <= 0 {
		tokens = unboundTokens
	}
	tokens = min(tokens, 1<<40) // what is more has no bound
	p.limit = eventsFree + eventsPerToken*int(tokens)
	switch {
	case job.Model.Capability != capability.LLM:
		p.most = bytesFree + bytesPerUnit*min(int64(job.Units), 1<<40)
	case job.Operation == inference.Embedding:
		p.most = bytesFree + bytesPerInput*int64(len(job.Body))
	default:
		p.most = bytesFree + bytesPerAnswerToken*int64(tokens)
	}
}

// took notes n bytes that came, and the events with words so far and all so far. It fails
// when there are more than may be.
func (p *pace) took(now time.Time, n, words, events int) error {
	p.bytes += int64(n)
	if p.most > 0 && (p.bytes > p.most || events > p.limit) {
		return fault.New(fault.AnswerUnreadable, "relay answer", "the answer is far longer than what was asked for")
	}
	if words > p.events && now.Sub(p.set) > paceStep {
		p.events = words
		p.allow(now, time.Duration(words)*perEvent)
	}
	return nil
}

// allow lets it take more beside its start, of which some time is over.
func (p *pace) allow(now time.Time, more time.Duration) {
	p.set = now
	p.answer.Allow(max(0, min(silence, p.start+more-now.Sub(p.began))))
}

// reader reads the answer as fast as one that is no stream has to come.
func (p *pace) reader() io.Reader { return paced{p} }

type paced struct{ *pace }

// Read returns what has arrived.
func (r paced) Read(b []byte) (int, error) {
	n, err := r.answer.Body.Read(b)
	now := time.Now()
	if tooLong := r.took(now, n, 0, 0); tooLong != nil {
		return n, tooLong
	}
	if now.Sub(r.set) > paceStep {
		r.allow(now, time.Duration(r.bytes/bodyPace)*time.Second)
	}
	return n, err
}
