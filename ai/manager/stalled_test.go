package manager_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// outcome is what came of a job.
type outcome struct {
	text string
	err  error
	took time.Duration
}

// begun begins a job alongside the test.
func (r *rig) begun() <-chan outcome {
	out := make(chan outcome, 1)
	go func() {
		began := time.Now()
		_, text, err := r.run(inference.Chat)
		out <- outcome{text, err, time.Since(began)}
	}()
	return out
}

// A runner that freezes with a job, and answers no probes any more, loses it to another one
// within half a minute, or the job ends where there is none.
func TestAStalledRunnerKeepsNoJob(t *testing.T) {
	for name, row := range map[string]struct {
		kind  backend.Kind
		other bool
	}{
		"one that answers while it works": {backend.Contract, true}, "a kind that does": {backend.VLLM, true},
		"alone": {backend.VLLM, false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				h := newHost()
				r := begin(t, h, servers(h, &program{slots: 1, kind: row.kind}, &program{slots: 1, kind: row.kind}))
				after(time.Second)
				_, bad, _ := r.run(inference.Chat)
				other := map[string]string{urlOne: urlTwo, urlTwo: urlOne}[bad]
				h.change(other, func(p *program) { p.down = !row.other })
				after(time.Minute)
				h.change(bad, func(p *program) { p.holds = true })
				job := r.begun()
				after(time.Minute) // it works, and answers probes
				h.change(bad, func(p *program) { p.stuck = true })
				frozen := time.Now()
				got := <-job
				if took := time.Since(frozen); took > 40*time.Second {
					t.Errorf("it kept its job for %v", took)
				}
				switch {
				case row.other && (got.err != nil || got.text != other):
					t.Errorf("%+v", got)
				case !row.other && !errors.Is(got.err, fault.RunnerStalled):
					t.Errorf("%+v", got)
				}
				h.change(bad, func(p *program) { p.stuck = false })
				h.change(other, func(p *program) { p.down = false })
				after(time.Minute)
				r.idle()
				r.end()
			})
		})
	}
}

// A server that does one thing at a time, and answers no probe meanwhile, is left to its work.
func TestABusyRunnerIsNotStalled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, servers(h, &program{slots: 1, kind: backend.Contract}, &program{down: true}))
		after(time.Second)
		h.change(urlOne, func(p *program) { p.holds, p.stuck = true, true })
		job := r.begun()
		after(5 * time.Minute)
		h.change(urlOne, func(p *program) { p.stuck = false })
		h.release(urlOne)
		if got := <-job; got.err != nil || got.text != urlOne {
			t.Errorf("%+v", got)
		}
		h.change(urlTwo, func(p *program) { p.down = false })
		after(time.Minute)
		r.end()
	})
}
