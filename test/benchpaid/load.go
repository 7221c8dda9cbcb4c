package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/procfs"
)

// load is what became of many clients that ask at once.
type load struct {
	took    time.Duration
	served  int
	failed  int
	last    error
	latency []float64
	// memory is what the orchestrator held at the begin, in the middle and at the end,
	// in megabytes.
	memory [3]float64
}

// drive has clients ask one request after another for a time; a request under way at
// its end is waited for.
func drive(ctx context.Context, clients int, length time.Duration, pid int, ask func(context.Context) error) *load {
	l := &load{}
	over, stop := context.WithTimeout(ctx, length)
	defer stop()
	var (
		wg sync.WaitGroup
		mu sync.Mutex
	)
	begin := time.Now()
	for range clients {
		wg.Go(func() {
			for over.Err() == nil {
				start := time.Now()
				err := ask(ctx)
				mu.Lock()
				if err != nil {
					l.failed++
					l.last = err
				} else {
					l.served++
					l.latency = append(l.latency, figures.Millis(time.Since(start)))
				}
				mu.Unlock()
			}
		})
	}
	for i, at := range []time.Duration{length / 10, length / 2, length * 99 / 100} {
		timer := time.NewTimer(time.Until(begin.Add(at)))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		l.memory[i] = float64(procfs.Resident(pid)) / 1e6
	}
	wg.Wait()
	l.took = time.Since(begin)
	return l
}

func (l *load) print(s settings, what string) {
	fmt.Fprintf(s.out, "%s: %d clients for %s\n", what, s.clients, l.took.Round(100*time.Millisecond))
	fmt.Fprintf(s.out, "  %d requests served, %.0f/s; %d failed\n", l.served, float64(l.served)/l.took.Seconds(), l.failed)
	fmt.Fprintf(s.out, "  p50 %.1f ms, p99 %.1f ms\n", figures.Quantile(l.latency, 0.5), figures.Quantile(l.latency, 0.99))
	fmt.Fprintf(s.out, "  the orchestrator holds %.1f MB near the begin, %.1f in the middle, %.1f at the end; load %s\n",
		l.memory[0], l.memory[1], l.memory[2], procfs.Load())
	s.sheet.More("requests served", "1/s", float64(l.served)/l.took.Seconds(), 0)
	s.sheet.Less("p99", "ms", figures.Quantile(l.latency, 0.99), 0)
	s.sheet.Less("failed", "", float64(l.failed), 0)
	s.sheet.Less("the orchestrator at the end", "MB", l.memory[2], 0)
}
