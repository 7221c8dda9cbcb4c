package inference

import (
	"cmp"
	"time"

	"github.com/tuttinode/tutti/core/capability"
)

// Limits are how long a peer may take with an answer: an orchestrator, a worker, a runner.
type Limits struct {
	// FirstByte is for a streamed answer's first byte, besides the time to read the request.
	FirstByte time.Duration
	// Silence is for the next bytes of an answer that has begun.
	Silence time.Duration
	// Whole is for an answer that comes at once, such as an image, and for one whose model
	// has to be loaded first. It is the most of all limits for an answer's begin.
	Whole time.Duration
}

// The limits where nothing else is said.
const (
	DefaultFirstByte = time.Minute
	DefaultSilence   = time.Minute
	DefaultWhole     = 15 * time.Minute
)

const (
	// readPace is how many bytes of a request a slow model reads in a second, maxReading the
	// most time that it gets for it: images are large and are not text.
	readPace   = 1 << 10
	maxReading = 2 * time.Minute
	// perToken is what a slow model takes for a token of an answer that comes at once.
	perToken = 200 * time.Millisecond
)

// OrDefault returns the limits with defaults for those that are 0.
func (l Limits) OrDefault() Limits {
	return Limits{
		FirstByte: cmp.Or(l.FirstByte, DefaultFirstByte), Silence: cmp.Or(l.Silence, DefaultSilence),
		Whole: cmp.Or(l.Whole, DefaultWhole),
	}
}

// Begin returns how long a job's answer may take until its first byte.
func (l Limits) Begin(job *Job) time.Duration {
	first := l.FirstByte + min(maxReading, time.Duration(len(job.Body)/readPace)*time.Second)
	switch {
	case job.Model.Capability != capability.LLM:
		return l.Whole
	case job.Stream, !job.Operation.Generates():
		return min(l.Whole, first)
	case job.MaxTokens <= 0 || job.MaxTokens > Tokens(l.Whole/perToken):
		return l.Whole
	}
	return min(l.Whole, first+time.Duration(job.MaxTokens)*perToken)
}
