package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/core"
)

// run is one measurement with a number of sessions.
type measurement struct {
	s      settings
	pieces []piece
	farm   *farm
	lines  *lines

	mu   sync.Mutex // covers the fields below
	took []sample
	peak int64
}

// sample is one transcoded segment. first says that its stream began with it.
type sample struct {
	source, took time.Duration
	first        bool
}

// measure runs n sessions to their end. Any failed segment ends it.
func measure(ctx context.Context, s settings, pieces []piece, n int, lines *lines, stderr io.Writer) (figures, error) {
	before, err := processorTime()
	if err != nil {
		return figures{}, err
	}
	f, err := measured(ctx, s, pieces, n, lines, stderr)
	after, timing := processorTime()
	f.Processor = (after - before).Seconds()
	return f, errors.Join(err, timing)
}

// measured is measure without the CPU time, which is known when the media
// workers have ended.
func measured(ctx context.Context, s settings, pieces []piece, n int, lines *lines, stderr io.Writer) (figures, error) {
	farm, err := open(ctx, s, n, stderr)
	if err != nil {
		return figures{}, err
	}
	defer farm.Close()
	m := &measurement{s: s, pieces: pieces, farm: farm, lines: lines}
	seen := watching(ctx, s.inventory)
	start := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for k := range n {
		group.Go(func() error { return m.session(ctx, k) })
	}
	err = group.Wait()
	wall, gpus := time.Since(start), seen()
	f := summarize(n, m.took, wall, m.peak)
	f.GPUs = gpus
	return f, err
}

// session runs one stream, in real time with -live.
func (m *measurement) session(ctx context.Context, k int) error {
	if err := pause(ctx, time.Duration(k)*m.s.delay); err != nil {
		return err
	}
	begin := time.Now()
	for n := 0; m.more(n, begin); n++ {
		p, id := m.pieces[n%len(m.pieces)], m.id(k, n)
		start := time.Now()
		res, err := m.farm.Transcode(ctx, &core.TranscodeJob{
			Session: id, Manifest: core.ManifestID(id), Number: core.SegmentNumber(n), Input: p.data, Duration: p.duration,
			Profiles: m.s.profiles, Signature: m.s.signature, Origin: "offchain",
		})
		if err != nil {
			return fmt.Errorf("session %d, segment %d: %w", k, n, err)
		}
		took := time.Since(start)
		m.record(k, n, p.duration, took, res)
		if err := m.keep(k, n, res); err != nil {
			return err
		}
		if m.s.fresh {
			m.farm.EndSession(id)
		}
		if m.s.live && m.more(n+1, begin) {
			if err := pause(ctx, p.duration-time.Since(start)); err != nil {
				return err
			}
		}
	}
	if !m.s.fresh {
		m.farm.EndSession(m.id(k, 0))
	}
	return nil
}

// more reports whether a stream that began at a time has a segment n.
func (m *measurement) more(n int, begin time.Time) bool {
	repeats := m.s.until > 0 && m.s.segments == 0
	inTime := m.s.until == 0 || n == 0 || time.Since(begin) < m.s.until
	return inTime && (repeats || n < len(m.pieces))
}

// id names the session of segment n of stream k.
func (m *measurement) id(k, n int) core.SessionID {
	if m.s.fresh {
		return core.SessionID(fmt.Sprintf("bench%d-%d", k, n))
	}
	return core.SessionID(fmt.Sprint("bench", k))
}

func (m *measurement) record(k, n int, source, took time.Duration, res *core.TranscodeResult) {
	memory := m.farm.memory()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.took = append(m.took, sample{source, took, n == 0})
	m.peak = max(m.peak, memory)
	m.lines.write(time.Now(), k, n, source, took, res.Renditions[0].Frames)
}

// keep writes the renditions to files with -outPrefix.
func (m *measurement) keep(k, n int, res *core.TranscodeResult) error {
	if m.s.outPrefix == "" {
		return nil
	}
	for i, r := range res.Renditions {
		p := m.s.profiles[i]
		name := fmt.Sprintf("%s_%s_%d_%d%s", m.s.outPrefix, p.Name, k, n, p.Format.Ext())
		if err := os.WriteFile(name, r.Data, 0o644); err != nil {
			return err
		}
		if len(r.Signature) > 0 {
			if err := os.WriteFile(name+".bin", r.Signature, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// pause waits, or returns ctx's error.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
