package libav_test

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// patience is how long one call may take on a GPU before it counts as hanging: a
// driver compiles kernels at the first of them, and the CPU may be slow.
const patience = time.Minute

// hung is set once a driver has not returned: the tests that follow would all wait for
// it in vain.
var hung atomic.Bool

// cardEngine is an engine on the GPU, and what it logged about parts of the work that
// the CPU took over.
type cardEngine struct {
	*libav.Engine
	card *card.Card

	mu sync.Mutex
	// forms are the log's lines about work that went to the CPU.
	forms []string
}

// notHung skips a test after one that found a driver that hangs.
func notHung(t testing.TB) {
	t.Helper()
	if hung.Load() {
		card.SkipCheck(t, "all of the test", "the driver hung in an earlier test")
		t.SkipNow()
	}
}

// onCard starts an engine on the GPU. After the test it is closed, and every decoder
// and encoder that it created must be destroyed.
func onCard(t testing.TB, c *card.Card) *cardEngine {
	t.Helper()
	notHung(t)
	before, counted := c.Counts(t)
	e := &cardEngine{card: c}
	err := inTime(t, "start the engine", func(context.Context) (err error) {
		e.Engine, err = libav.New(libav.Options{
			Device: "0", CUDA: &libav.CUDA{}, Preset: "ultrafast", Cores: 2, Version: "0.0.0-test",
			Log: slog.New(slog.NewTextHandler(e, nil)),
		})
		return err
	})
	if err != nil {
		card.NoError(t, err, "an engine starts on the GPU", "")
		t.FailNow()
	}
	t.Cleanup(func() {
		err := inTime(t, "close the engine", func(context.Context) error { return e.Close() })
		if err != nil {
			card.NoError(t, err, "the engine closes", "")
		}
		if counted {
			allDestroyed(t, c, before)
		}
	})
	return e
}

// allDestroyed checks that as many decoders and encoders were destroyed as created.
func allDestroyed(t testing.TB, c *card.Card, before card.Counts) {
	t.Helper()
	after, _ := c.Counts(t)
	d := after.Since(before)
	card.CheckThat(t, d.DecodersCreated == d.DecodersDestroyed && d.EncodersOpened == d.EncodersClosed,
		"decoders and encoders after the engine was closed", "all destroyed",
		fmt.Sprintf("%d of %d decoders, %d of %d encoders destroyed", d.DecodersDestroyed, d.DecodersCreated,
			d.EncodersClosed, d.EncodersOpened), "")
}

// Write takes the engine's log, one line a call.
func (e *cardEngine) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "the CPU does a part") {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.forms = append(e.forms, strings.TrimSpace(string(line)))
	}
	return len(line), nil
}

// lost takes the lines logged since the last call.
func (e *cardEngine) lost() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := strings.Join(e.forms, "; ")
	e.forms = nil
	return text
}

// transcode does a job on the GPU, and fails the test when the driver hangs.
func (e *cardEngine) transcode(t testing.TB, j *core.TranscodeJob) (*core.TranscodeResult, error) {
	t.Helper()
	type answer struct {
		result *core.TranscodeResult
		err    error
	}
	a := inTime(t, "transcode a segment", func(ctx context.Context) answer {
		r, err := e.Transcode(ctx, j)
		return answer{r, err}
	})
	return a.result, a.err
}

// inTime makes a call into the driver. One that does not return in time ends the test:
// nothing more can be learned from a driver that hangs.
func inTime[T any](t testing.TB, what string, call func(context.Context) T) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer := make(chan T, 1)
	go func() { answer <- call(ctx) }()
	const more = 10 * time.Second
	late := time.NewTimer(patience + more)
	defer late.Stop()
	var a T
	select {
	case a = <-answer:
		if ctx.Err() == nil {
			return a
		}
	case <-late.C:
	}
	hung.Store(true)
	card.CheckThat(t, false, what, "done in "+patience.String(), "not done: the driver hangs", "")
	t.FailNow()
	return a
}

// spent is what the driver was asked for by a piece of work, and whether that is known.
func spent(t testing.TB, c *card.Card, work func()) (card.Counts, bool) {
	t.Helper()
	before, counted := c.Counts(t)
	work()
	after, _ := c.Counts(t)
	return after.Since(before), counted
}

// madeUp reports whether the simulated driver has invented frames during a piece of
// work: these cannot be compared. A real GPU invents none.
func madeUp(c *card.Card, work func()) bool {
	if c.Real() {
		work()
		return false
	}
	before := c.Fake.Counts(0).PicturesMadeUp
	work()
	return c.Fake.Counts(0).PicturesMadeUp > before
}

// late reports whether a test has no time left, and records what it leaves out then.
func late(t *testing.T, end time.Time, what string) bool {
	t.Helper()
	if time.Now().Before(end) {
		return false
	}
	card.SkipCheck(t, what, "no time left")
	return true
}

// where says what decoded a segment, by the engine's log.
func where(lost string) string {
	if strings.Contains(lost, "all on the CPU") || strings.Contains(lost, "decoded on the CPU") {
		return "by the CPU"
	}
	return "on the GPU"
}

// reason is the last error in the engine's log lines.
func reason(lost string) string {
	found := regexp.MustCompile(`err="((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(lost, -1)
	if found == nil {
		return lost
	}
	return found[len(found)-1][1]
}

// second is a rendition ladder of two, for sources of 320×180 and more, with so many
// bits that the encoders hardly change the frames.
func second() []core.Profile {
	return []core.Profile{
		{Name: "large", Width: 320, Height: 180, Bitrate: 3_000_000, Profile: core.ProfileConstrainedHigh},
		{Name: "small", Width: 192, Height: 108, Bitrate: 1_500_000, Profile: core.ProfileConstrainedHigh},
	}
}

// in is a job of a session of its own.
func in(session string, data []byte, profiles ...core.Profile) *core.TranscodeJob {
	j := job(data, profiles...)
	j.Session = core.SessionID(session)
	return j
}
