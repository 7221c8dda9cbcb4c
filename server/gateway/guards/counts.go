package guards

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Outcome is what came of one question to a guard.
type Outcome string

// The outcomes.
const (
	Passed   Outcome = "passed"
	Refused  Outcome = "refused"
	Replaced Outcome = "replaced"
	// More: it wants to see more of a stream first.
	More Outcome = "more"
	// Failed: it gave no verdict. Busy: it had too many questions. Left: the client left before the verdict.
	Failed Outcome = "failed"
	Busy   Outcome = "busy"
	Left   Outcome = "left"
)

// Outcomes are all of them.
func Outcomes() []Outcome { return []Outcome{Passed, Refused, Replaced, More, Failed, Busy, Left} }

// stages are all stages.
func stages() []Stage { return []Stage{StageRequest, StageAnswer} }

// Buckets are the upper bounds by which the time of questions is counted, in seconds.
func Buckets() []float64 {
	return []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
}

// Count is what a guard did at one stage.
type Count struct {
	Guard    string
	Stage    Stage
	Outcomes map[Outcome]int64
	// Seconds is the time of all questions together, with their waiting; Within counts those that took at most as long as
	// the bucket says.
	Seconds float64
	Within  map[float64]uint64
	Number  uint64
}

// counts are a guard's counts by stage.
type counts struct{ stages [2]stageCounts }

type stageCounts struct {
	mu       sync.Mutex
	outcomes map[Outcome]int64
	took     time.Duration
	within   [14]uint64 // by bucket, each question in one
	number   uint64
}

// add counts one question.
func (c *counts) add(stage Stage, how Outcome, took time.Duration) {
	s := &c.stages[0]
	if stage == StageAnswer {
		s = &c.stages[1]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outcomes == nil {
		s.outcomes = make(map[Outcome]int64)
	}
	s.outcomes[how]++
	s.took += took
	s.number++
	for i, most := range Buckets() {
		if took.Seconds() <= most {
			s.within[i]++
			break
		}
	}
}

func (s *stageCounts) read(guard string, stage Stage) Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Count{Guard: guard, Stage: stage, Outcomes: make(map[Outcome]int64), Seconds: s.took.Seconds(),
		Within: make(map[float64]uint64), Number: s.number}
	for _, how := range Outcomes() {
		out.Outcomes[how] = s.outcomes[how]
	}
	sum := uint64(0)
	for i, most := range Buckets() {
		sum += s.within[i]
		out.Within[most] = sum
	}
	return out
}

// outcomeOf returns what came of a question.
func outcomeOf(ctx context.Context, v *verdict, err error) Outcome {
	switch {
	case err != nil && ctx.Err() != nil:
		return Left
	case errors.Is(err, errBusy):
		return Busy
	case err != nil:
		return Failed
	}
	switch v.Action {
	case actionRefuse:
		return Refused
	case actionReplace:
		return Replaced
	case actionMore:
		return More
	}
	return Passed
}
