package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/procfs"
)

// workers is how many requests are in flight while cost is measured.
const workers = 16

// cost is the CPU time per request, in microseconds.
func cost(ctx context.Context, c *client, body string, total int, pids []int) (micros, perSecond float64, err error) {
	if _, err := closedLoop(ctx, c, body, workers, total/10+1); err != nil { // warm
		return 0, 0, err
	}
	before := procfs.CPU(pids...)
	wall, err := closedLoop(ctx, c, body, workers, total)
	used := procfs.CPU(pids...) - before
	return float64(used.Microseconds()) / float64(total), float64(total) / wall.Seconds(), err
}

// compare measures the four ways in turn, so that all have the same weather.
func (s settings) compare(
	ctx context.Context, b *testbed, title, body string, total int, oneHop, twoHops float64,
) error {
	var proxy, proxies, gateway, front, both, rate, proxyRate []float64
	profiled, err := b.profile(ctx, s.profile, title)
	if err != nil {
		return err
	}
	for range s.runs {
		for _, m := range []struct {
			url  string
			pids []int
			into *[]float64
			rate *[]float64
		}{
			{b.proxy, b.proxyPIDs, &proxy, &proxyRate},
			{b.open, b.openPIDs, &gateway, nil},
			{b.proxies, b.proxiesPIDs, &proxies, nil},
			{b.gateway, b.bothPIDs, &both, &rate},
			{b.gateway, b.gatewayPIDs, &front, nil},
		} {
			micros, perSecond, err := cost(ctx, newClient(m.url), body, total, m.pids)
			if err != nil {
				return err
			}
			*m.into = append(*m.into, micros)
			if m.rate != nil {
				*m.rate = append(*m.rate, perSecond)
			}
		}
	}
	if err := profiled(); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s, %d at once (median of %d)                        tutti      peer       ratio\n", title,
		workers, s.runs)
	s.ratio("gateway, all on, no TLS behind | one proxy", "µs CPU", figures.Median(gateway),
		figures.Median(proxy), oneHop)
	s.ratio("gateway + orchestrator, TLS | two, TLS + h2", "µs CPU", figures.Median(both),
		figures.Median(proxies), twoHops)
	fmt.Fprintf(s.out, "  of which the gateway %.1f\n", figures.Median(front))
	fmt.Fprintf(s.out, "  requests per second: two hops of tutti on one core %.0f, one proxy %.0f\n\n",
		figures.Median(rate), figures.Median(proxyRate))
	s.sheet.More("requests per second on one core", "1/s", figures.Median(rate), 0)
	return nil
}

func (s settings) plain(ctx context.Context, b *testbed) error {
	return s.compare(ctx, b, "plain requests", plainBody, s.requests, 0.70, 0.85)
}

func (s settings) stream(ctx context.Context, b *testbed) error {
	return s.compare(ctx, b, "streams of 64 chunks", streamBody, s.requests/4, 1.00, 0.85)
}

// latency is what each way adds for a client that is alone.
func (s settings) latency(ctx context.Context, b *testbed) error {
	const each = 400
	var direct, proxy, proxies, gateway [2][]float64
	for range s.runs {
		for _, m := range []struct {
			url  string
			into *[2][]float64
		}{{b.direct, &direct}, {b.proxy, &proxy}, {b.proxies, &proxies}, {b.gateway, &gateway}} {
			c := newClient(m.url)
			for i, body := range []string{plainBody, streamBody} {
				var took []float64
				for range each {
					begin, first := time.Now(), time.Duration(0)
					err := c.ask(ctx, body, func(int) {
						if first == 0 {
							first = time.Since(begin)
						}
					})
					if err != nil {
						return err
					}
					if i == 0 {
						first = time.Since(begin)
					}
					took = append(took, float64(first.Microseconds()))
				}
				m.into[i] = append(m.into[i], figures.Median(took))
			}
		}
	}
	fmt.Fprintf(s.out, "added latency, one client (median of %d)                     tutti      peer       ratio\n",
		s.runs)
	for i, what := range []string{"plain request", "first token"} {
		base := figures.Median(direct[i])
		asked := []float64{0.70, 1.00}[i]
		ours := figures.Median(gateway[i]) - base
		s.ratio(what+", both hops | one proxy", "µs", ours, figures.Median(proxy[i])-base, asked)
		s.ratio(what+", both hops | two, TLS + h2", "µs", ours, figures.Median(proxies[i])-base, asked)
	}
	fmt.Fprintln(s.out)
	return nil
}
