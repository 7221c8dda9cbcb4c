package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/pushclient"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// path compares the whole way of a segment, client → gateway → TLS → orchestrator
// → media worker and back, with plain ffmpeg processes doing the same segments
// with the same parallelism.
func (s settings) path(ctx context.Context, segs []clip.Segment) error {
	n, err := s.startNodes(ctx, "")
	if err != nil {
		return err
	}
	defer n.stop()
	if err := checkPath(ctx, n.gateway, segs[0]); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "whole path, two processes, streams back to back (median of %d)\n", s.runs)
	fmt.Fprintf(s.out, "  %-44s %9s %9s %14s\n", "wall seconds per segment round", "tutti", "ffmpeg", "ratio")
	var beside []float64
	for _, streams := range []int{1, 2, 4} {
		// Many ffmpeg processes at once do best with one thread each, and so does the
		// engine; one alone takes the machine.
		threads := 0
		if streams > 1 {
			threads = 1
		}
		var ours, theirs []float64
		for run := range s.runs {
			wall, over, err := s.push(ctx, n.gateway, fmt.Sprintf("bench%d-%d", streams, run), segs, streams)
			if err != nil {
				return err
			}
			ours = append(ours, wall.Seconds()/float64(len(segs)))
			if streams == 1 {
				beside = append(beside, over...)
			}
			peerWall, _, err := s.peer(ctx, len(segs), streams, threads)
			if err != nil {
				return err
			}
			theirs = append(theirs, peerWall.Seconds()/float64(len(segs)))
		}
		s.compare(fmt.Sprintf("%d streams", streams), ours, theirs)
	}
	fmt.Fprintf(s.out, "  everything that is not libav, one stream: p50 %.1f ms of %d segments\n\n",
		figures.Median(beside), len(beside))
	s.sheet.Less("beside libav, one stream, p50", "ms", figures.Median(beside), 5)
	return nil
}

// push sends the segments on parallel streams. beside is, per segment, the time in
// milliseconds that was not spent in libav.
func (s settings) push(ctx context.Context, gateway, name string, segs []clip.Segment,
	streams int) (wall time.Duration, beside []float64, err error) {
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		errs []error
	)
	begin := time.Now()
	for i := range streams {
		wg.Go(func() {
			for _, seg := range segs {
				_, over, err := pushOne(ctx, gateway, fmt.Sprintf("%s-%d", name, i), seg)
				mu.Lock()
				beside = append(beside, over)
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return time.Since(begin), beside, errors.Join(errs...)
}

// pushOne sends one segment and returns its renditions and the milliseconds that
// were not spent in libav.
func pushOne(ctx context.Context, gateway, stream string, seg clip.Segment) ([]pushclient.Rendition, float64, error) {
	a, err := pushclient.Push(ctx, http.DefaultClient, gateway, pushclient.Segment{
		Stream: stream, File: fmt.Sprintf("%d.ts", seg.Number), Data: seg.Data, Duration: seg.Duration,
	})
	if err != nil {
		return nil, 0, err
	}
	if a.Media == 0 {
		return nil, 0, errors.New("the gateway does not say how long the media work took")
	}
	return a.Renditions, float64((a.Took - a.Media).Microseconds()) / 1000, nil
}

// checkPath makes sure that the path delivers what was asked for.
func checkPath(ctx context.Context, gateway string, seg clip.Segment) error {
	profiles, err := coreLadder()
	if err != nil {
		return err
	}
	out, _, err := pushOne(ctx, gateway, "judge", seg)
	if err != nil {
		return err
	}
	if len(out) != len(profiles) {
		return fmt.Errorf("%d renditions, want %d", len(out), len(profiles))
	}
	source, err := clip.ReadRendition(ctx, seg.Data)
	if err != nil {
		return err
	}
	var problems []error
	for i := range out {
		problems = append(problems, source.Rendition(ctx, out[i].Data, profiles[i]))
	}
	return errors.Join(problems...)
}
