package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/test/figures"
)

// change measures how long a viewer sees a frozen picture when the orchestrator or the runner is killed, and
// how long a session continues without its runner.
func (s settings) change(ctx context.Context) error {
	pictures, err := s.encode(ctx, 1<<digits/8)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "change of orchestrator, and the end of a runner (median of %d)\n", s.runs)
	var frozen, ended, shown []float64
	for range s.runs {
		killed, runner, err := s.changeOnce(ctx, pictures)
		if err != nil {
			return err
		}
		frozen, shown = append(frozen, killed), append(shown, runner)
		took, err := s.runnerEnds(ctx)
		if err != nil {
			return err
		}
		ended = append(ended, took)
	}
	s.sheet.Row("orchestrator killed: frozen picture", figures.Median(frozen), "s", 2)
	s.sheet.Row("runner killed: frozen picture", figures.Median(shown), "s", 2)
	s.sheet.Row("runner killed: end of its session at the gateway's side", figures.Median(ended), "s", 1)
	fmt.Fprintf(s.out, "  each time the slot was free once\n\n")
	return nil
}

// pair is an orchestrator with its runner.
type pair struct {
	r    *process
	o    *orchestrator
	addr string // the runner's
}

func (s settings) pair(ctx context.Context) (*pair, error) {
	r, addr, err := s.runner(echo)
	if err != nil {
		return nil, err
	}
	o, err := s.orchestrator(ctx, addr, 1)
	if err != nil {
		r.kill()
		return nil, err
	}
	return &pair{r, o, addr}, nil
}

func (p *pair) end() { p.o.kill(); p.r.kill() }

// changeOnce plays a stream over three orchestrators, kills the one that has it, then the runner of the next one,
// and returns the longest times without a picture, in seconds.
func (s settings) changeOnce(
	ctx context.Context, pictures [][]byte,
) (orchestratorKilled, runnerKilled float64, err error) {
	var pairs []*pair
	var addrs []string
	for range 3 {
		p, err := s.pair(ctx)
		if err != nil {
			return 0, 0, err
		}
		defer p.end()
		pairs, addrs = append(pairs, p), append(addrs, p.o.addr)
	}
	g, at, err := s.gateway(ctx, time.Second, strings.Join(addrs, ","))
	if err != nil {
		return 0, 0, err
	}
	defer g.kill()
	w, c := &show{pictures: pictures}, &clients{ctx: ctx}
	err = c.use(func() error {
		w.start(c, at)
		if orchestratorKilled, err = w.gap(ctx, at, pairs, func(p *pair) { p.o.kill() }); err != nil {
			return err
		}
		runnerKilled, err = w.gap(ctx, at, pairs, func(p *pair) { p.r.kill() })
		return err
	})
	return orchestratorKilled, runnerKilled, err
}

// gap returns the longest time without a picture after end was called on the pair that has the stream. The
// gateway's status says which pair that is.
func (w *show) gap(ctx context.Context, gateway string, pairs []*pair, end func(*pair)) (float64, error) {
	first := w.count()
	if err := await(ctx, "pictures", func() bool { return w.count() > first+3*fps }); err != nil {
		return 0, err
	}
	at := -1
	if err := await(ctx, "the name of the orchestrator", func() bool {
		_, text, err := do(ctx, http.DefaultClient, "GET", "http://"+gateway+"/live/video-to-video/cam/status", "")
		at = slices.IndexFunc(pairs, func(p *pair) bool { return strings.Contains(text, p.o.addr) })
		return err == nil && at >= 0
	}); err != nil {
		return 0, err
	}
	p := pairs[at]
	pairs[at] = &pair{o: &orchestrator{addr: "it has ended"}}
	first = w.count() - 1
	end(p)
	if err := await(ctx, "pictures of another orchestrator", func() bool { return w.count() > first+5*fps }); err != nil {
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	longest := time.Duration(0)
	for i := first + 1; i < len(w.arrived); i++ {
		longest = max(longest, w.arrived[i].Sub(w.arrived[i-1]))
	}
	return longest.Seconds(), nil
}

// runnerEnds kills the runner of a session and returns after how many seconds its channels are gone. It checks that
// exactly one slot is free afterwards.
func (s settings) runnerEnds(ctx context.Context) (float64, error) {
	p, err := s.pair(ctx)
	if err != nil {
		return 0, err
	}
	defer p.end()
	c, err := p.o.session(ctx)
	if err != nil {
		return 0, err
	}
	if status, text, err := do(ctx, p.o.http, "POST", c.Publish+"/0", "segment"); err != nil || status != http.StatusOK {
		return 0, fmt.Errorf("write a segment: %d %s: %w", status, text, err)
	}
	began := time.Now()
	p.r.kill()
	for _, url := range []string{c.Publish, c.Subscribe, c.Control, c.Events} {
		if err := await(ctx, "the end of a channel", func() bool {
			status, _, err := do(ctx, p.o.http, "GET", url+"/next", "")
			return err == nil && status == http.StatusNotFound
		}); err != nil {
			return 0, err
		}
	}
	took := time.Since(began).Seconds()
	if p.r, err = s.self("runner", p.addr, echo); err != nil {
		return 0, err
	}
	if err := await(ctx, "the slot", func() bool { _, err := p.o.session(ctx); return err == nil }); err != nil {
		return 0, err
	}
	if _, err := p.o.session(ctx); err == nil {
		return 0, errors.New("the slot is free twice")
	}
	return took, nil
}
