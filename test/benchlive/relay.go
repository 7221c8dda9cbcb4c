package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/server/trickle"
	"github.com/tuttinode/tutti/test/figures"
)

// relayed is how many channels the delay of the relay is stated for, of one Mb/s each.
const relayed = 100

// video is the rate of a stream of the benchmarks. Read-only.
var video = rate{1_000_000, 30}

// warm is how long a load runs before it is measured.
const warm = 2 * time.Second

// relay measures what the way through an orchestrator adds to each write: from the writer's call to the reader
// that has the whole frame. The peer is a reverse proxy to which the same client writes the same.
func (s settings) relay(ctx context.Context) error {
	fmt.Fprintf(s.out, "relay of a write, %d channels of 1 Mb/s at 30 writes a second (median of %d)\n", relayed, s.runs)
	var ours, theirs [2][]float64
	var cost, theirCost []float64
	for range s.runs {
		d, used, err := s.relayNode(ctx)
		if err != nil {
			return err
		}
		ours[0], ours[1] = append(ours[0], d.quantile(0.5)), append(ours[1], d.quantile(0.99))
		cost = append(cost, used)
		if d, used, err = s.relayProxy(ctx); err != nil {
			return err
		}
		theirs[0], theirs[1] = append(theirs[0], d.quantile(0.5)), append(theirs[1], d.quantile(0.99))
		theirCost = append(theirCost, used)
	}
	s.sheet.Row("orchestrator, p50", figures.Median(ours[0]), "ms", 1)
	s.sheet.Row("orchestrator, p99", figures.Median(ours[1]), "ms", 5)
	fmt.Fprintf(s.out, "  for comparison a reverse proxy: p50 %.2f ms, p99 %.2f ms\n",
		figures.Median(theirs[0]), figures.Median(theirs[1]))
	fmt.Fprintf(s.out, "  processor time per write: orchestrator %.1f µs, reverse proxy %.1f µs\n\n",
		figures.Median(cost), figures.Median(theirCost))
	s.sheet.Less("processor time per write", "µs", figures.Median(cost), 0)
	s.sheet.Less("processor time per write, ratio", "", figures.Median(cost)/figures.Median(theirCost), 0)
	return nil
}

func (s settings) relayNode(ctx context.Context) (*delays, float64, error) {
	r, addr, err := s.runner(hold)
	if err != nil {
		return nil, 0, err
	}
	defer r.kill()
	o, err := s.orchestrator(ctx, addr, relayed)
	if err != nil {
		return nil, 0, err
	}
	defer o.kill()
	var d delays
	used, err := s.relayLoad(ctx, o.process, o.http, &d, func(ctx context.Context, g *errgroup.Group) (string, error) {
		c, err := o.session(ctx)
		if err != nil {
			return "", err
		}
		in := trickle.NewSubscriber(c.Publish, trickle.ClientOptions{Client: o.http, FromStart: true})
		g.Go(func() error { return over(d.subscribe(ctx, in, video.frame())) })
		return c.Publish, nil
	})
	return &d, used, err
}

func (s settings) relayProxy(ctx context.Context) (*delays, float64, error) {
	var d delays
	p, err := s.peer(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			d.read(r.Body, make([]byte, video.frame()))
			w.Header().Set("Lp-Trickle-Seq", r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
		}
	}))
	if err != nil {
		return nil, 0, err
	}
	defer p.end()
	n := 0
	used, err := s.relayLoad(ctx, p.process, trickle.NewHTTPClient(selfSigned, nil), &d,
		func(context.Context, *errgroup.Group) (string, error) {
			n++
			return p.url + "/" + strconv.Itoa(n), nil
		})
	return &d, used, err
}

// relayLoad writes to as many channels as open makes, and returns the processor time per write in µs.
func (s settings) relayLoad(ctx context.Context, relay *process, c *http.Client, d *delays,
	open func(context.Context, *errgroup.Group) (string, error)) (float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var g errgroup.Group
	for i := range relayed {
		url, err := open(ctx, &g)
		if err != nil {
			return 0, err
		}
		p := trickle.NewPublisher(url, trickle.ClientOptions{Client: c})
		p.Connect(ctx)
		g.Go(func() error {
			err := video.publish(ctx, p, i, relayed)
			_ = p.Close(ctx) // the load is over
			return over(err)
		})
	}
	pause(ctx, warm)
	d.begin()
	before := d.count()
	used := use(ctx, relay, s.load)
	frames := d.count() - before
	cancel()
	if err := g.Wait(); err != nil {
		return 0, err
	}
	if frames < relayed {
		return 0, fmt.Errorf("%d frames came in %s", frames, s.load)
	}
	return float64(used.Microseconds()) / float64(frames), nil
}
