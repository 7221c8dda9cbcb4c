package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/netlab"
	"github.com/tuttinode/tutti/test/pushclient"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// warm is how many segments of each condition are not counted: a session's first ones
// open the codecs, and the connection learns how much it may send.
const warm = 4

// clips are the segments by size: a second of playing time costs little CPU however
// many bytes it has.
var clips = map[string]clip.Options{
	"small": {Width: 320, Height: 180, FPSNum: 15, FPSDen: 1, Bitrate: 250_000, Noise: 6},
	"large": {Width: 640, Height: 360, FPSNum: 15, FPSDen: 1, Bitrate: 4_900_000, Noise: 60},
}

// sample is what came of one condition and set-up, in milliseconds besides the codecs.
type sample struct {
	beside []float64
	failed int
	last   error
}

// added compares the three set-ups under all conditions.
func (s settings) added(ctx context.Context, b *testbed, all []condition) error {
	lab := netlab.New(b)
	local, inline, fetch := s.setup(b, lab, "local"), s.setup(b, lab, "near"), s.setup(b, lab, "far")
	local.start("-transcoder", "-maxSessions", "64")
	inline.remotely()
	fetch.fetching()
	segs := make(map[string][]clip.Segment)
	for name, o := range clips {
		made, err := generate(ctx, o, 3)
		if err != nil {
			return err
		}
		segs[name] = made
		bytes := 0
		for _, seg := range made {
			bytes += len(seg.Data)
		}
		fmt.Fprintf(s.out, "%s: 2 s, %d×%d, %d KB; renditions %s\n", name, o.Width, o.Height, bytes/len(made)/1000, ladder)
	}
	fmt.Fprintf(s.out, "\nwhat is added to a segment by its transcoder being a host away: time beside the codecs, less "+
		"that\n"+
		"of a transcoder at home, ms; by turns, %d segments each, %v apart; in parentheses: round trips\n", s.segments,
		s.pause)
	fmt.Fprintf(s.out, "  %-6s %-6s %4s %5s %5s | %14s | %16s %8s | %16s %8s %-6s | %16s %8s | %s\n", "size", "tcp",
		"idle", "rtt", "loss", "at home p50/95",
		"bare TCP p50", "p95", "tutti p50", "p95", "target", "fetching p50", "p95", "n, failed")
	for n, c := range all {
		inline.under(c)
		fetch.under(c)
		path, err := inline.bare(ctx)
		if err != nil {
			return err
		}
		got, err := s.measure(ctx, path, []*setup{local, inline, fetch}, segs[c.size], fmt.Sprintf("c%d", n))
		path.Close()
		if err != nil {
			return err
		}
		s.row(c, got)
	}
	fmt.Fprintln(s.out)
	return nil
}

// measure sends segments through the set-ups by turns, and as many bytes over the bare
// path, which is the last of the samples.
func (s settings) measure(ctx context.Context, path *bare, setups []*setup, segs []clip.Segment,
	stream string) ([]sample, error) {
	out := make([]sample, len(setups)+1)
	begin, renditions := time.Now(), 0
	for n := range s.segments + warm {
		turn := time.NewTimer(s.pause)
		for i, u := range setups {
			took, back, err := u.push(ctx, stream, n, segs[n%len(segs)])
			out[i].add(n, took, err)
			renditions = max(renditions, back)
		}
		took, err := path.trip(len(segs[n%len(segs)].Data), renditions)
		out[len(setups)].add(n, took, err)
		select {
		case <-turn.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if time.Since(begin) > s.most && n > warm {
			break
		}
	}
	return out, nil
}

func (x *sample) add(n int, took float64, err error) {
	switch {
	case err != nil:
		x.failed++
		x.last = err
	case n >= warm:
		x.beside = append(x.beside, took)
	}
}

func (s settings) row(c condition, got []sample) {
	home, tutti, fetch, path := got[0], got[1], got[2], got[3]
	base := figures.Median(home.beside)
	verdict := "met"
	if len(tutti.beside) == 0 || figures.Median(tutti.beside)-base > 1.5*figures.Millis(c.rtt)+5 {
		verdict = "missed"
	}
	fmt.Fprintf(s.out, "  %-6s %-6s %4s %3.0fms %4.0f%% | %6.1f /%6.1f | %s | %s %-6s | %s | %d, %d/%d/%d\n",
		c.size, c.control, c.idle, figures.Millis(c.rtt), c.loss, base, figures.Quantile(home.beside, 0.95),
		path.over(0, c), tutti.over(base, c), verdict, fetch.over(base, c), len(tutti.beside), home.failed, tutti.failed,
		fetch.failed)
	name := fmt.Sprintf("%s, %s %s, %v, loss %g%%: ", c.size, c.control, c.idle, c.rtt, c.loss)
	s.sheet.Less(name+"added, p50", "ms", figures.Median(tutti.beside)-base, 1.5*figures.Millis(c.rtt)+5)
	s.sheet.Less(name+"failed", "", float64(tutti.failed), 0)
	for _, one := range got {
		if one.last != nil {
			fmt.Fprintf(s.out, "         failed: %.200v\n", one.last)
		}
	}
}

// over writes what is more than base: the median in milliseconds and in round trips,
// and the 95th percentile.
func (x sample) over(base float64, c condition) string {
	if len(x.beside) == 0 {
		return fmt.Sprintf("%16s %8s", "none", "")
	}
	ms, trips := figures.Median(x.beside)-base, ""
	if c.rtt > 0 {
		trips = fmt.Sprintf("(%5.1f)", ms/figures.Millis(c.rtt))
	}
	return fmt.Sprintf("%8.1f %7s %8.1f", ms, trips, figures.Quantile(x.beside, 0.95)-base)
}

// push sends one segment and returns the milliseconds that no codec took, and the bytes
// of its renditions.
func (u *setup) push(ctx context.Context, stream string, n int, seg clip.Segment) (took float64, back int, err error) {
	a, err := pushclient.Push(ctx, u.client, gatewayURL, pushclient.Segment{
		Stream: stream, File: fmt.Sprintf("%d.ts", n), Data: seg.Data, Duration: seg.Duration,
	})
	switch {
	case err != nil:
		return 0, 0, err
	case len(a.Renditions) != 2 || a.Media == 0:
		return 0, 0, fmt.Errorf("%s: %d renditions, %v for the codecs", u, len(a.Renditions), a.Media)
	}
	for _, r := range a.Renditions {
		back += len(r.Data)
	}
	return figures.Millis(a.Took - a.Media), back, nil
}

func (u *setup) get(url string, into any) error {
	resp, err := u.client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

// generate makes a short stream.
func generate(ctx context.Context, o clip.Options, count int) ([]clip.Segment, error) {
	o.Segments = count
	return clip.GenerateAll(ctx, o)
}
