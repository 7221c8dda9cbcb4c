package devices_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
)

// scripted is a device that does what it is told: a fake engine with a limit of
// encoders, memory, and clips that it refuses or hangs on.
type scripted struct {
	*coretest.Fake
	t *testing.T

	// on decides what becomes of a clip, by its file's name.
	on func(ctx context.Context, clip string, job *core.TranscodeJob) error
	// limit is how many encoders there can be, 0 for no limit; hidden keeps the
	// engine from telling.
	limit  int
	counts error
	// slow is how long a count takes.
	slow time.Duration
	// none: there are no encoders.
	none bool

	mu       sync.Mutex // covers the fields below
	open     map[core.SessionID]int
	replaced []fault.Code
	counted  int
}

func newScripted(t *testing.T) *scripted {
	s := &scripted{t: t, open: make(map[core.SessionID]int)}
	s.Fake = &coretest.Fake{Name: "0", RenditionBytes: 4000,
		On: func(ctx context.Context, _ int, job *core.TranscodeJob) error {
			if s.on != nil {
				if err := s.on(ctx, clipName(t, job.Input), job); err != nil {
					return err
				}
			}
			return s.take(job)
		}}
	return s
}

// clipName finds the clip's file.
func clipName(t *testing.T, data []byte) string {
	files, err := filepath.Glob("clips/*.*")
	if err != nil {
		t.Error(err)
	}
	for _, f := range files {
		if have, err := os.ReadFile(f); err == nil && bytes.Equal(have, data) {
			return filepath.Base(f)
		}
	}
	t.Errorf("%d bytes of no clip", len(data))
	return ""
}

// take opens the encoders of a job.
func (s *scripted) take(job *core.TranscodeJob) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[job.Session] = len(job.Profiles)
	if s.limit > 0 && s.sum() > s.limit {
		delete(s.open, job.Session)
		return fault.New(fault.TranscoderInvalidHardware, "open encoder", "out of memory (10)")
	}
	return nil
}

func (s *scripted) sum() int {
	n := 0
	for _, open := range s.open {
		n += open
	}
	return n
}

func (s *scripted) EndSession(id core.SessionID) {
	s.mu.Lock()
	delete(s.open, id)
	s.mu.Unlock()
	s.Fake.EndSession(id)
}

// used is a base, and for each open session its own and its renditions' part.
func (s *scripted) used(context.Context) (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return 500<<20 + int64(len(s.open))*100<<20 + int64(s.sum())*50<<20, true
}

func (s *scripted) EncoderLimit(ctx context.Context, atMost int) (int, error) {
	s.mu.Lock()
	s.counted++
	s.mu.Unlock()
	select {
	case <-ctx.Done():
		return 0, fault.Wrap(fault.CodeOf(ctx.Err()), "count", ctx.Err())
	case <-time.After(s.slow):
	}
	if s.none {
		return 0, nil
	}
	if s.counts != nil {
		return 0, s.counts
	}
	if s.limit == 0 {
		return atMost, nil
	}
	return min(s.limit, atMost), nil
}

func (s *scripted) Replace(reason fault.Code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replaced = append(s.replaced, reason)
}

// Alone is the same device, which is not closed with its lonely engine.
func (s *scripted) Alone(context.Context) (transcoder.Engine, error) { return lonely{s}, nil }

type lonely struct{ *scripted }

func (lonely) Close() error { return nil }

func (s *scripted) Probe(context.Context, []byte) (transcoder.MediaInfo, error) {
	return transcoder.MediaInfo{}, nil
}

// failing fails the clips named.
func failing(err error, clips ...string) func(context.Context, string, *core.TranscodeJob) error {
	return func(_ context.Context, clip string, _ *core.TranscodeJob) error {
		if slices.Contains(clips, clip) {
			return err
		}
		return nil
	}
}

// hanging hangs on the clips named until nobody waits any more.
func hanging(clips ...string) func(context.Context, string, *core.TranscodeJob) error {
	return func(ctx context.Context, clip string, _ *core.TranscodeJob) error {
		if slices.Contains(clips, clip) {
			<-ctx.Done()
			return fault.Wrap(fault.CodeOf(ctx.Err()), "transcode", ctx.Err())
		}
		return nil
	}
}

func (s *scripted) Parallel() int { return 8 }
