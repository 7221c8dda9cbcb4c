package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/procfs"
)

// delay measures glass to glass, from the publisher's sending of a picture over WHIP to the viewer's having it over
// WHEP, by the numbers that are drawn in the pictures. The runner adds nothing: it sends back what it gets.
func (s settings) delay(ctx context.Context) error {
	pictures, err := s.encode(ctx, 1<<digits/8)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "delay of live video over gateway and orchestrator, %d pictures a second, key frames every %d ms\n",
		fps, 1000*keyEvery/fps)
	for _, c := range []struct {
		what, mode string
		least      time.Duration
	}{
		{"runner that works while it reads, segments of 1 s", echo, time.Second},
		{"runner that works while it reads, segments of 0.5 s", echo, time.Second / 2},
		{"runner that takes whole segments, of 1 s", whole, time.Second},
		{"runner that takes whole segments, of 0.5 s", whole, time.Second / 2},
	} {
		list, err := s.delayWith(ctx, pictures, c.mode, c.least)
		if err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
		p50, p99, most := figures.Quantile(list, 0.5), figures.Quantile(list, 0.99), slices.Max(list)
		if c.mode == echo {
			s.sheet.Row(c.what+", p99", p99, "ms", 150)
			fmt.Fprintf(s.out, "    p50 %.1f ms, longest %.1f ms of %d pictures\n", p50, most, len(list))
			continue
		}
		s.sheet.Less(c.what+", p99", "ms", p99, 0)
		fmt.Fprintf(s.out, "  %-58s p50 %.0f ms, p99 %.0f ms\n", c.what, p50, p99)
	}
	fmt.Fprintf(s.out, "  load of the machine %s\n\n", procfs.Load())
	return nil
}

func (s settings) delayWith(
	ctx context.Context, pictures [][]byte, mode string, least time.Duration,
) ([]float64, error) {
	r, addr, err := s.runner(mode)
	if err != nil {
		return nil, err
	}
	defer r.kill()
	o, err := s.orchestrator(ctx, addr, 1)
	if err != nil {
		return nil, err
	}
	defer o.kill()
	g, at, err := s.gateway(ctx, least, o.addr)
	if err != nil {
		return nil, err
	}
	defer g.kill()
	w, c := &show{pictures: pictures}, &clients{ctx: ctx}
	if err := c.use(func() error {
		w.start(c, at)
		want := int(s.load.Seconds()) * fps
		return await(ctx, "pictures", func() bool { return w.count() >= want })
	}); err != nil {
		return nil, err
	}
	return w.delays(ctx, s, 2*fps)
}
