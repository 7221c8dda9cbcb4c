package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/server/trickle"
	"github.com/tuttinode/tutti/test/figures"
)

// readersAtOnce is how many read one channel, of manyBits bits a second.
const (
	readersAtOnce = 10
	manyBits      = 5_000_000
)

// readers measures the processor time of a channel that many read. The peer is a reverse proxy through which as
// many clients read the same bytes at the same pace.
func (s settings) readers(ctx context.Context) error {
	r := rate{manyBits, 30}
	fmt.Fprintf(s.out, "one channel of %d Mb/s to %d readers (median of %d)\n", manyBits/1_000_000, readersAtOnce, s.runs)
	var ratios, ours, theirs []float64
	for range s.runs {
		node, err := s.readNode(ctx, r)
		if err != nil {
			return err
		}
		proxy, err := s.readProxy(ctx, r)
		if err != nil {
			return err
		}
		ratios, ours, theirs = append(ratios, node/proxy), append(ours, node), append(theirs, proxy)
	}
	fmt.Fprintf(s.out, "  processor time per frame and reader: orchestrator %.1f µs, reverse proxy %.1f µs\n",
		figures.Median(ours),
		figures.Median(theirs))
	s.sheet.Row("ratio to the reverse proxy", figures.Median(ratios), "", 1.3)
	s.sheet.Less("processor time per frame and reader", "µs", figures.Median(ours), 0)
	fmt.Fprintln(s.out)
	return nil
}

func (s settings) readNode(ctx context.Context, r rate) (float64, error) {
	run, addr, err := s.runner(hold)
	if err != nil {
		return 0, err
	}
	defer run.kill()
	o, err := s.orchestrator(ctx, addr, 1)
	if err != nil {
		return 0, err
	}
	defer o.kill()
	c, err := o.session(ctx)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var g errgroup.Group
	p := trickle.NewPublisher(c.Publish, trickle.ClientOptions{Client: o.http})
	p.Connect(ctx)
	g.Go(func() error {
		err := r.publish(ctx, p, 0, 1)
		_ = p.Close(ctx) // the load is over
		return over(err)
	})
	return s.readLoad(ctx, cancel, o.process, r, &g, func(ctx context.Context, d *delays) error {
		in := trickle.NewSubscriber(c.Publish, trickle.ClientOptions{Client: o.http, FromStart: true})
		return d.subscribe(ctx, in, r.frame())
	})
}

func (s settings) readProxy(ctx context.Context, r rate) (float64, error) {
	p, err := s.peer(ctx, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		frame, rc := make([]byte, r.frame()), http.NewResponseController(w)
		_ = r.paced(q.Context(), 0, 1, func(n int) error { // ends with its reader, or the segment
			if n > 0 && r.segment(n) {
				return context.Canceled
			}
			stamp(frame)
			if _, err := w.Write(frame); err != nil {
				return err
			}
			return rc.Flush()
		})
	}))
	if err != nil {
		return 0, err
	}
	defer p.end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := trickle.NewHTTPClient(selfSigned, nil)
	return s.readLoad(ctx, cancel, p.process, r, new(errgroup.Group), func(ctx context.Context, d *delays) error {
		frame := make([]byte, r.frame())
		for ctx.Err() == nil {
			q, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, http.NoBody)
			if err != nil {
				return err
			}
			res, err := c.Do(q)
			if err != nil {
				return err
			}
			d.read(res.Body, frame)
			_ = res.Body.Close() // it was only read
		}
		return ctx.Err()
	})
}

// readLoad lets many read, and returns the relay's processor time per frame and reader in µs.
func (s settings) readLoad(ctx context.Context, cancel func(), relay *process, r rate, g *errgroup.Group,
	read func(context.Context, *delays) error) (float64, error) {
	var d delays
	for range readersAtOnce {
		g.Go(func() error {
			if err := read(ctx, &d); ctx.Err() == nil {
				return err
			}
			return nil
		})
	}
	pause(ctx, warm)
	before := d.count()
	used := use(ctx, relay, s.load)
	frames := d.count() - before
	cancel()
	if err := g.Wait(); err != nil {
		return 0, err
	}
	if want := int(s.load/time.Second) * r.fps * readersAtOnce * 4 / 5; frames < want {
		return 0, fmt.Errorf("%d frames came in %s, want %d", frames, s.load, want)
	}
	return float64(used.Microseconds()) / float64(frames), nil
}
