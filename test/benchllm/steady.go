package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/procfs"
)

// paced is 100 streams at once with 100 chunks a second each.
func (s settings) paced(ctx context.Context, b *testbed) error {
	const streams, chunks, pause = 100, 300, 10
	body := pacedBody(chunks, pause)
	var costs [3][]float64
	var late [5][]float64
	for range s.runs {
		for i, m := range []struct {
			url  string
			pids []int
		}{{b.proxy, b.proxyPIDs}, {b.open, b.openPIDs}, {b.proxies, b.proxiesPIDs}, {b.direct, nil}, {b.gateway, nil}} {
			c := newClient(m.url)
			before := procfs.CPU(m.pids...)
			gaps, err := pace(ctx, c, body, streams, pause)
			if err != nil {
				return err
			}
			if i < 3 {
				costs[i] = append(costs[i], float64((procfs.CPU(m.pids...)-before).Microseconds())/(streams*chunks))
			}
			late[i] = append(late[i], figures.Quantile(gaps, 0.99))
		}
	}
	fmt.Fprintf(s.out, "%d streams of %d chunks a second (median of %d)              tutti      peer       ratio\n",
		streams, 1000/pause, s.runs)
	s.ratio("gateway | one proxy, per chunk", "µs CPU", figures.Median(costs[1]), figures.Median(costs[0]), 1.00)
	added := figures.Median(late[4]) - figures.Median(late[3])
	fmt.Fprintf(s.out, "  p99 delay of a chunk, ms: direct %.2f, one proxy %.2f, tutti both hops %.2f, two proxies "+
		"%.2f; added by tutti %.2f (asked 2)\n\n",
		figures.Median(late[3]), figures.Median(late[0]), figures.Median(late[4]), figures.Median(late[2]), added)
	s.sheet.Less("added p99 of a chunk", "ms", added, 2)
	return nil
}

// pace runs streams at once and returns by how many milliseconds chunks came later
// after the one before than they were sent.
func pace(ctx context.Context, c *client, body string, streams, pause int) ([]float64, error) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		gaps  []float64
		first error
	)
	for range streams {
		wg.Go(func() {
			var mine []float64
			last := time.Time{}
			err := c.ask(ctx, body, func(int) {
				now := time.Now()
				if !last.IsZero() {
					mine = append(mine, max(0, now.Sub(last).Seconds()*1000-float64(pause)))
				}
				last = now
			})
			mu.Lock()
			defer mu.Unlock()
			gaps = append(gaps, mine...)
			if err != nil {
				first = err
			}
		})
	}
	wg.Wait()
	return gaps, first
}

// memory is what the gateway holds with a thousand slow streams.
func (s settings) memory(ctx context.Context, b *testbed) error {
	const streams = 1000
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	idle, idleProxy := resident(b.gatewayPIDs), resident(b.proxyPIDs)
	var held [2]int64
	for i, m := range []struct {
		url  string
		pids []int
	}{{b.gateway, b.gatewayPIDs}, {b.proxy, b.proxyPIDs}} {
		here, stop := context.WithCancel(ctx)
		received := make(chan struct{}, streams)
		var wg sync.WaitGroup
		c := newClient(m.url)
		for range streams {
			wg.Go(func() {
				once := sync.OnceFunc(func() { received <- struct{}{} })
				_ = c.ask(here, pacedBody(1000, 1000), func(int) { once() })
			})
		}
		for range streams {
			select {
			case <-received:
			case <-ctx.Done():
			case <-time.After(30 * time.Second):
				stop()
				wg.Wait()
				return fmt.Errorf("%s: not all of %d streams began", m.url, streams)
			}
		}
		// What the rush of their beginning has left is gone after some seconds.
		settled := time.NewTimer(10 * time.Second)
		select {
		case <-settled.C:
		case <-ctx.Done():
		}
		settled.Stop()
		held[i] = resident(m.pids)
		stop()
		wg.Wait()
	}
	fmt.Fprintf(s.out, "%d slow streams: gateway %.1f MB, %.1f of it the program's file (%.1f MB before; asked 60), "+
		"one proxy %.1f MB (%.1f before)\n\n",
		streams, float64(held[0])/1e6, float64(binary(b.gatewayPIDs))/1e6, float64(idle)/1e6, float64(held[1])/1e6,
		float64(idleProxy)/1e6)
	s.sheet.Less("1000 slow streams, gateway", "MB", float64(held[0])/1e6, 60)
	return nil
}

// grow is how much more memory the processes hold after many requests.
func (s settings) grow(ctx context.Context, b *testbed) error {
	c := newClient(b.gateway)
	if _, err := closedLoop(ctx, c, plainBody, workers, s.growth/5+1); err != nil {
		return err
	}
	before := resident(b.bothPIDs)
	begin := time.Now()
	if _, err := closedLoop(ctx, c, plainBody, workers, s.growth); err != nil {
		return err
	}
	after := resident(b.bothPIDs)
	fmt.Fprintf(s.out, "growth over %d requests: gateway + orchestrator %.1f MB → %.1f MB (%+.1f %%, asked 5), %.0f "+
		"requests/s\n\n",
		s.growth, float64(before)/1e6, float64(after)/1e6, 100*float64(after-before)/float64(before),
		float64(s.growth)/time.Since(begin).Seconds())
	s.sheet.Less("growth of gateway and orchestrator", "%", 100*float64(after-before)/float64(before), 5)
	return nil
}
