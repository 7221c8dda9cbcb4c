package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/procfs"
)

// atOnce is how many requests are in flight while CPU time is counted.
const atOnce = 4

// used is the CPU time of a pair for one job, in milliseconds, without what its
// processes use without requests.
type used struct{ gateway, orchestrator float64 }

func (u used) sum() float64 { return u.gateway + u.orchestrator }

// cpu is how much CPU time payments of one ticket and of a hundred add to a job, in
// gateway and orchestrator.
func (s settings) cpu(ctx context.Context, w *world) error {
	idle := w.idle()
	if err := rest(ctx, idle, 4*time.Second); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "CPU per job in ms, %d at once (median of %d); idle ms/s: paid orchestrator %.1f, paying "+
		"gateway %.1f\n",
		atOnce, s.runs, idle[w.paid.orchestrator], idle[w.paid.gateway])
	fmt.Fprintf(s.out, "  %-12s %10s %10s %10s   %s\n", "", "off-chain", "paid", "added", "of it gateway and orchestrator")
	for _, row := range []struct {
		name        string
		tickets, of int
		asked       float64
	}{{"1 ticket", 1, s.requests, 0.3}, {"100 tickets", 100, s.requests / 5, 12}} {
		body := plainBody(row.tickets * tokensPerTicket)
		var free, paid, front, back []float64
		for range s.runs {
			f, err := perJob(ctx, w.free, body, row.of, idle)
			if err != nil {
				return err
			}
			p, err := perJob(ctx, w.paid, body, row.of, idle)
			if err != nil {
				return err
			}
			free, paid = append(free, f.sum()), append(paid, p.sum())
			front, back = append(front, p.gateway-f.gateway), append(back, p.orchestrator-f.orchestrator)
		}
		added := figures.Median(paid) - figures.Median(free)
		fmt.Fprintf(s.out, "  %-12s %10.3f %10.3f %+10.3f   %+.3f %+.3f (asked %.1f)\n",
			row.name, figures.Median(free), figures.Median(paid), added, figures.Median(front), figures.Median(back), row.asked)
		s.sheet.Less(row.name+", added CPU", "ms", added, row.asked)
	}
	fmt.Fprintf(s.out, "  load %s\n", procfs.Load())
	return s.printFlushed()
}

// idle has a place for every process.
func (w *world) idle() map[*node]float64 {
	idle := map[*node]float64{}
	for _, n := range w.nodes {
		idle[n] = 0
	}
	return idle
}

// rest fills in how many milliseconds of CPU processes use in an idle second.
func rest(ctx context.Context, idle map[*node]float64, length time.Duration) error {
	for n := range idle {
		idle[n] = -figures.Millis(procfs.CPU(n.pid()))
	}
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	for n := range idle {
		idle[n] = (idle[n] + figures.Millis(procfs.CPU(n.pid()))) / length.Seconds()
	}
	return nil
}

func perJob(ctx context.Context, p pair, body string, total int, idle map[*node]float64) (used, error) {
	c := newChat(p.gateway)
	if _, err := closedLoop(ctx, c, body, total/10+1); err != nil { // warm
		return used{}, err
	}
	front, back := procfs.CPU(p.gateway.pid()), procfs.CPU(p.orchestrator.pid())
	wall, err := closedLoop(ctx, c, body, total)
	each := func(n *node, before time.Duration) float64 {
		return (figures.Millis(procfs.CPU(n.pid())-before) - idle[n]*wall.Seconds()) / float64(total)
	}
	return used{each(p.gateway, front), each(p.orchestrator, back)}, err
}

// closedLoop sends total requests over a few clients that each wait for their answer.
func closedLoop(ctx context.Context, c *chat, body string, total int) (time.Duration, error) {
	var (
		next atomic.Int64
		wg   sync.WaitGroup
		errs [atOnce]error
	)
	begin := time.Now()
	for i := range atOnce {
		wg.Go(func() {
			for next.Add(1) <= int64(total) && errs[i] == nil {
				errs[i] = c.ask(ctx, body, nil)
			}
		})
	}
	wg.Wait()
	return time.Since(begin), errors.Join(errs[:]...)
}
