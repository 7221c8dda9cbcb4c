package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/transcoder/libav/clip"
	"github.com/tuttinode/tutti/transcoder/libav/judge"
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
	if err := judgePath(ctx, n.gateway, segs[0]); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "whole path, two processes, streams back to back (median of %d)\n", s.runs)
	fmt.Fprintf(s.out, "  %-34s %8s %8s %7s\n", "wall seconds per segment round", "tutti", "ffmpeg", "ratio")
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
		s.row(fmt.Sprintf("%d streams", streams), median(ours), median(theirs))
	}
	fmt.Fprintf(s.out, "  everything that is not libav, one stream: p50 %.1f ms of %d segments\n\n", median(beside), len(beside))
	return nil
}

// push sends the segments on parallel streams. beside is, per segment, the time in
// milliseconds that was not spent in libav.
func (s settings) push(ctx context.Context, gateway, name string, segs []clip.Segment, streams int) (wall time.Duration, beside []float64, err error) {
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
func pushOne(ctx context.Context, gateway, stream string, seg clip.Segment) ([][]byte, float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("%s/live/%s/%d.ts", gateway, stream, seg.Number), bytes.NewReader(seg.Data))
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Accept", "multipart/mixed")
	req.Header.Set("Content-Duration", fmt.Sprint(seg.Duration.Milliseconds()))
	begin := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return nil, 0, fmt.Errorf("push: %s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	_, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return nil, 0, err
	}
	var out [][]byte
	for parts := multipart.NewReader(resp.Body, params["boundary"]); ; {
		p, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		data, err := io.ReadAll(p)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, data)
	}
	took := time.Since(begin)
	media, err := strconv.ParseFloat(resp.Header.Get("Tutti-Media-Ms"), 64)
	if err != nil {
		return nil, 0, errors.New("the gateway does not say how long the media work took")
	}
	return out, float64(took.Microseconds())/1000 - media, nil
}

// judgePath makes sure that the path delivers what was asked for.
func judgePath(ctx context.Context, gateway string, seg clip.Segment) error {
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
	source, err := judge.Read(ctx, seg.Data)
	if err != nil {
		return err
	}
	var problems []error
	for i := range out {
		problems = append(problems, source.Rendition(ctx, out[i], profiles[i]))
	}
	return errors.Join(problems...)
}
