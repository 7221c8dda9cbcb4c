package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/procfs"
	"github.com/tuttinode/tutti/test/pushclient"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// comparison holds measurements of the same thing through both pairs of nodes, in milliseconds. The i-th of
// each were taken one after the other.
type comparison struct {
	free, paid []float64
	// cpu is the CPU time of gateway and orchestrator for one measurement, off-chain and paid, in
	// milliseconds. It leaves out what they use while idle, and the media workers, which are
	// processes of their own.
	cpu [2]float64
}

// print prints what payment adds. target is the most that it should add.
func (b *comparison) print(s settings, what string, target float64) {
	paired := make([]float64, len(b.free))
	for i := range paired {
		paired[i] = b.paid[i] - b.free[i]
	}
	fmt.Fprintf(s.out, "%s, n = %d each, by turns\n", what, len(b.free))
	fmt.Fprintf(s.out, "  %-10s %10s %10s %10s\n", "ms", "off-chain", "paid", "added")
	for _, q := range []float64{0.5, 0.95} {
		free, paid := figures.Quantile(b.free, q), figures.Quantile(b.paid, q)
		fmt.Fprintf(s.out, "  p%-9.0f %10.2f %10.2f %+10.2f\n", q*100, free, paid, paid-free)
	}
	fmt.Fprintf(s.out, "  median of the paired differences %+.2f (target %.1f); CPU of gateway and orchestrator "+
		"%.2f, paid %.2f; load %s\n",
		figures.Median(paired), target, b.cpu[0], b.cpu[1], procfs.Load())
	s.sheet.Less(what+", added, p50", "ms", figures.Median(paired), target)
	s.sheet.Less(what+", added CPU", "ms", b.cpu[1]-b.cpu[0], 0)
}

// alternate measures n times through both pairs of nodes, each first in turn. A further tenth, at the
// beginning, only warms up.
func alternate(
	ctx context.Context, w *world, n int, through func(pair) func(i int) (float64, error),
) (*comparison, error) {
	idle := w.idle()
	if err := rest(ctx, idle, 4*time.Second); err != nil {
		return nil, err
	}
	b := &comparison{}
	pairs := [2]pair{w.free, w.paid}
	measure := [2]func(int) (float64, error){through(w.free), through(w.paid)}
	for i := range n + n/10 {
		var values [2]float64
		for k := range 2 {
			which := (k + i) % 2
			before, begin := pairs[which].cpu(), time.Now()
			v, err := measure[which](i)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", pairs[which].gateway.name, err)
			}
			values[which] = v
			if i >= n/10 {
				rested := (idle[pairs[which].gateway] + idle[pairs[which].orchestrator]) * time.Since(begin).Seconds()
				b.cpu[which] += (figures.Millis(pairs[which].cpu()-before) - rested) / float64(n)
			}
		}
		if i >= n/10 {
			b.free, b.paid = append(b.free, values[0]), append(b.paid, values[1])
		}
	}
	return b, nil
}

func (p pair) cpu() time.Duration {
	return procfs.CPU(p.gateway.pid()) + procfs.CPU(p.orchestrator.pid())
}

// size is a set of renditions to ask for.
type size struct {
	name     string
	profiles string
}

var sizes = []size{
	{"small renditions", `{"profiles":[{"name":"small1","width":256,"height":144,"bitrate":200000,"gop":"2"},` +
		`{"name":"small2","width":320,"height":180,"bitrate":300000,"gop":"2"}]}`},
	{"large renditions", `{"profiles":[{"name":"large1","width":480,"height":270,"bitrate":4000000,"gop":"2"},` +
		`{"name":"large2","width":640,"height":360,"bitrate":4500000,"gop":"2"}]}`},
}

// segment measures what payment adds to the time of a segment outside the codecs.
func (s settings) segment(ctx context.Context, w *world) error {
	segs, err := source(ctx, 4)
	if err != nil {
		return err
	}
	profiled := s.inBackground(ctx, w, "segment")
	for _, size := range sizes {
		bytes, largest := 0, 0
		through := func(p pair) func(int) (float64, error) {
			client := &http.Client{Transport: &withProfiles{size.profiles}}
			return func(i int) (float64, error) {
				seg := pushclient.Segment{Stream: "s" + size.name[:5], File: fmt.Sprintf("%d.ts", i), Data: segs[i%len(segs)].Data,
					Duration: segs[i%len(segs)].Duration}
				a, err := pushclient.Push(ctx, client, "http://"+p.gateway.front, seg)
				if err != nil {
					return 0, err
				}
				if a.Media == 0 || len(a.Renditions) != 2 {
					return 0, fmt.Errorf("%d renditions after %s of media work", len(a.Renditions), a.Media)
				}
				bytes = len(a.Renditions[0].Data) + len(a.Renditions[1].Data)
				largest = max(len(a.Renditions[0].Data), len(a.Renditions[1].Data))
				return figures.Millis(a.Took - a.Media), nil
			}
		}
		b, err := alternate(ctx, w, s.segments, through)
		if err != nil {
			return err
		}
		b.print(s, fmt.Sprintf("segments, two %s of %d KB together, all but the codecs", size.name, bytes/1000), 1.5)
		s.printHashed(largest)
		if err := s.printFlushed(); err != nil {
			return err
		}
	}
	return profiled()
}

// withProfiles tells the gateway which renditions a stream has.
type withProfiles struct{ profiles string }

// RoundTrip adds the header.
func (t *withProfiles) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Livepeer-Transcode-Configuration", t.profiles)
	return http.DefaultTransport.RoundTrip(r)
}

// source makes a short stream that is hard to encode for its size.
func source(ctx context.Context, count int) ([]clip.Segment, error) {
	return clip.GenerateAll(ctx, clip.Options{Width: 640, Height: 360, Segments: count, Bitrate: 6_000_000, Noise: 40})
}

// token measures what payment adds to the time to the first token.
func (s settings) token(ctx context.Context, w *world) error {
	through := func(p pair) func(int) (float64, error) {
		c := newChat(p.gateway)
		return func(int) (float64, error) {
			begin, took := time.Now(), time.Duration(0)
			err := c.ask(ctx, streamBody(tokensPerTicket), func() { took = time.Since(begin) })
			if err == nil && took == 0 {
				err = errors.New("an empty answer")
			}
			return figures.Millis(took), err
		}
	}
	profiled := s.inBackground(ctx, w, "token")
	b, err := alternate(ctx, w, s.requests, through)
	if err != nil {
		return err
	}
	b.print(s, "time to the first token, one ticket a request", 1)
	if err := s.printFlushed(); err != nil {
		return err
	}
	return profiled()
}
