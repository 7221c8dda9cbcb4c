package main

import (
	"context"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/server/trickle"
	"github.com/tuttinode/tutti/test/procfs"
)

// many is how many sessions begin or end at the same time.
const many = 32

// held is one session with both of its sides: the gateway's and the runner's.
type held struct {
	in, out, control, events                 *trickle.Publisher
	inRead, outRead, controlRead, eventsRead *trickle.Subscriber
}

func newHeld(o *orchestrator, c *channels) *held {
	opt := trickle.ClientOptions{Client: o.http, FromStart: true}
	return &held{
		in: trickle.NewPublisher(c.Publish, opt), out: trickle.NewPublisher(c.Subscribe, opt),
		control: trickle.NewPublisher(c.Control, opt), events: trickle.NewPublisher(c.Events, opt),
		inRead: trickle.NewSubscriber(c.Publish, opt), outRead: trickle.NewSubscriber(c.Subscribe, opt),
		controlRead: trickle.NewSubscriber(c.Control, opt), eventsRead: trickle.NewSubscriber(c.Events, opt),
	}
}

// connect opens the requests that both sides keep open while nothing happens.
func (h *held) connect(ctx context.Context, g *errgroup.Group, d *delays) {
	for _, p := range []*trickle.Publisher{h.in, h.out, h.control, h.events} {
		p.Connect(ctx)
	}
	g.Go(func() error { return over(d.subscribe(ctx, h.outRead, video.frame())) })
	g.Go(func() error { return over(drain(ctx, h.controlRead)) })
	g.Go(func() error { return over(drain(ctx, h.eventsRead)) })
	g.Go(func() error { return over(h.echo(ctx)) })
}

// echo is the runner.
func (h *held) echo(ctx context.Context) error {
	defer h.inRead.Close()
	for {
		in, err := h.inRead.Next(ctx)
		if err != nil {
			return err
		}
		out, err := h.out.Next(ctx)
		if err != nil {
			return err
		}
		_, _ = io.Copy(out, in)
		_ = out.Close() // a lost one shows in the count
		_ = in.Close()  // it was only read
	}
}

// manySessions measures what sessions of live video cost the orchestrator, idle and at work.
func (s settings) manySessions(ctx context.Context) error {
	fmt.Fprintf(s.out, "%d sessions of live video, four channels each, all requests of both sides open\n", s.sessions)
	r, addr, err := s.runner(hold)
	if err != nil {
		return err
	}
	defer r.kill()
	o, err := s.orchestrator(ctx, addr, s.sessions)
	if err != nil {
		return err
	}
	defer o.kill()
	empty := o.resident(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var d delays
	var g errgroup.Group
	sessions, err := s.open(ctx, o, &g, &d)
	if err != nil {
		return err
	}
	full := o.resident(ctx)
	s.takeProfile(ctx, o, "heap", "sessions-idle-heap", 0)
	s.describeMemory(ctx, o)
	s.sheet.Row("memory of an idle session", (full-empty)/float64(len(sessions)), "KB", 256)
	for i, h := range sessions {
		g.Go(func() error { return over(video.publish(ctx, h.in, i, len(sessions))) })
	}
	pause(ctx, warm)
	d.begin()
	before := d.count()
	profiled := make(chan struct{})
	go func() { defer close(profiled); s.takeProfile(ctx, o, "profile", "sessions-cpu", int(s.load.Seconds())) }()
	used := use(ctx, o.process, s.load)
	frames := d.count() - before
	<-profiled
	busy := o.resident(ctx)
	cancel()
	_ = g.Wait() // each ends as the others do
	minutes := s.load.Minutes() * float64(len(sessions))
	s.sheet.Row("processor time of a session and minute at 1 Mb/s", used.Seconds()/minutes, "s", 0.2)
	fmt.Fprintf(s.out, "  %.1f%% of the frames came back in time; p50 %.2f ms, p99 %.2f ms over both relays\n",
		100*float64(frames)/(s.load.Seconds()*float64(video.fps*len(sessions))), d.quantile(0.5), d.quantile(0.99))
	fmt.Fprintf(s.out, "  memory of a session at work %.0f KB; load of the machine %s\n\n",
		(busy-empty)/float64(len(sessions)), procfs.Load())
	s.sheet.Less("memory of a session at work", "KB", (busy-empty)/float64(len(sessions)), 0)
	s.sheet.Less("both relays, p99", "ms", d.quantile(0.99), 0)
	return nil
}

// open begins the sessions.
func (s settings) open(ctx context.Context, o *orchestrator, g *errgroup.Group, d *delays) ([]*held, error) {
	list := make([]*held, s.sessions)
	var begin errgroup.Group
	begin.SetLimit(many)
	for i := range list {
		begin.Go(func() error {
			c, err := o.session(ctx)
			if err != nil {
				return err
			}
			list[i] = newHeld(o, c)
			return nil
		})
	}
	if err := begin.Wait(); err != nil {
		return nil, err
	}
	for _, h := range list {
		h.connect(ctx, g, d)
	}
	return list, nil
}
