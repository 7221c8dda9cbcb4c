package libav

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/fakegpu"
)

// gpuBench is an engine on the fake driver's GPU whose clock the test sets.
type gpuBench struct {
	*Engine
	driver *fakegpu.Driver
	clock  atomic.Int64
	clip   []byte
}

func newGPUBench(t *testing.T, script ...string) *gpuBench {
	t.Helper()
	b := &gpuBench{driver: fakegpu.Load(t)}
	b.driver.Script(script...)
	b.clip = keptClip(t, ".ts", "-c:v libx264 -preset ultrafast -bf 2 -b_strategy 0 -g 30 -pix_fmt yuv420p -threads 1", 10)
	var err error
	b.Engine, err = New(Options{Device: "0", CUDA: &CUDA{}, Preset: "ultrafast", Cores: 2, Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	b.sessions.now = func() time.Time { return time.Unix(b.clock.Load(), 0) }
	return b
}

func (b *gpuBench) job(id string) *core.TranscodeJob {
	return &core.TranscodeJob{Session: core.SessionID(id), Input: b.clip, Duration: 2 * time.Second,
		Profiles: []core.Profile{{Name: "x", Width: 160, Height: 96, Bitrate: 200_000}, {Name: "y", Width: 150, Height: 90, Bitrate: 200_000}}}
}

// segment does a segment and says what it took of the device.
func (b *gpuBench) segment(t *testing.T, j *core.TranscodeJob) (frames core.Frames, took fakegpu.Counts) {
	t.Helper()
	before := b.driver.Counts(0)
	r, err := b.Transcode(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	took = b.driver.Counts(0)
	took.DecodersCreated -= before.DecodersCreated
	took.PicturesDecoded -= before.PicturesDecoded
	took.PicturesRefused -= before.PicturesRefused
	took.PicturesEncoded -= before.PicturesEncoded
	took.EncodersOpened -= before.EncodersOpened
	took.Modules -= before.Modules
	return r.DecodedFrames, took
}

// TestGPURefusedPictures: a decoder that refuses a picture now and then stays the
// session's, and the pictures are all that it costs.
func TestGPURefusedPictures(t *testing.T) {
	b := newGPUBench(t)
	b.segment(t, b.job("s"))
	b.driver.Set("device0.decode.every", "11")
	for n := range 4 {
		frames, took := b.segment(t, b.job("s"))
		if took.DecodersCreated != 0 || took.PicturesRefused == 0 || took.PicturesEncoded == 0 {
			t.Errorf("segment %d left the GPU: %+v", n, took)
		}
		if lost := 60 - int64(frames); lost < 0 || lost > 2*took.PicturesRefused {
			t.Errorf("segment %d: %d frames of 60, %d pictures refused", n, frames, took.PicturesRefused)
		}
	}
}

// TestGPURefusedSegment: what the decoder cannot do at all is done by the processor,
// and the next segment by the GPU again. Errors that sound like a lost card are none
// while the card does other work.
func TestGPURefusedSegment(t *testing.T) {
	for _, code := range []string{"1", "719", "999"} {
		t.Run("error "+code, func(t *testing.T) {
			b := newGPUBench(t)
			b.segment(t, b.job("s"))
			b.driver.Script("device0.decode.every=1", "device0.decode.error="+code)
			frames, took := b.segment(t, b.job("s"))
			if frames != 60 || took.PicturesRefused == 0 || took.PicturesDecoded != 0 || took.PicturesEncoded < 120 {
				t.Errorf("refused: %d frames, %+v", frames, took)
			}
			b.driver.Script()
			for n := range 2 {
				if frames, took = b.segment(t, b.job("s")); frames != 60 || took.PicturesDecoded < 60 {
					t.Errorf("segment %d after: %d frames, %+v", n, frames, took)
				}
			}
			if took.DecodersCreated != 0 || took.EncodersOpened != 0 {
				t.Errorf("the session keeps nothing again: %+v", took)
			}
		})
	}
}

// TestGPUDecoderRefusesOn: a session whose every segment is refused is not begun twice
// for ever, and is the GPU's again some time after.
func TestGPUDecoderRefusesOn(t *testing.T) {
	b := newGPUBench(t)
	b.driver.Script("device0.decode.every=1")
	for n := range 2 * patience {
		if _, took := b.segment(t, b.job("s")); (took.PicturesRefused > 0) != (n < patience) || took.PicturesEncoded < 120 {
			t.Errorf("segment %d: %+v", n, took)
		}
	}
	b.clock.Add(int64(pause / time.Second))
	for n := range 2 {
		if _, took := b.segment(t, b.job("s")); (took.PicturesRefused > 0) != (n == 0) {
			t.Errorf("after a pause, segment %d: %+v", n, took)
		}
	}
	b.driver.Script()
	b.clock.Add(int64(pause / time.Second))
	b.segment(t, b.job("s"))
	b.driver.Script("device0.decode.every=1")
	for n := range patience {
		if _, took := b.segment(t, b.job("s")); took.PicturesRefused == 0 {
			t.Errorf("after all was well, segment %d: %+v", n, took)
		}
	}
}

// TestGPUFewPicturesRefused: a segment shorter than what may be lost is not lost.
func TestGPUFewPicturesRefused(t *testing.T) {
	b := newGPUBench(t, "device0.decode.every=1")
	b.clip = keptClip(t, ".ts", "-frames:v 3 -c:v libx264 -preset ultrafast -bf 0 -pix_fmt yuv420p -threads 1", 10)
	if frames, _ := b.segment(t, b.job("s")); frames != 3 {
		t.Errorf("%d frames of 3", frames)
	}
}

// TestGPULostCard: errors of the decoder in a context that is lost are a lost card.
func TestGPULostCard(t *testing.T) {
	b := newGPUBench(t)
	b.segment(t, b.job("s"))
	b.driver.Script("device0.fail=719")
	if _, err := b.Transcode(context.Background(), b.job("s")); !errors.Is(err, fault.UnrecoverableState) {
		t.Errorf("got %v", err)
	}
	if b.gpu.works() {
		t.Error("a lost device works")
	}
}

// TestGPUEncodersComeBack: a session that lost its encoders is encoded by the
// processor, and asks again after a while.
func TestGPUEncodersComeBack(t *testing.T) {
	b := newGPUBench(t)
	b.segment(t, b.job("s"))
	bad := b.job("s")
	bad.Input = []byte("no media")
	if _, err := b.Transcode(context.Background(), bad); err == nil {
		t.Fatal("bad input was taken")
	}
	b.driver.Set("encoder.cap", "0")
	step := func(what string, after time.Duration, onGPU bool) {
		t.Helper()
		b.clock.Add(int64(after / time.Second))
		if _, took := b.segment(t, b.job("s")); (took.PicturesEncoded >= 120) != onGPU || took.PicturesDecoded < 60 {
			t.Errorf("%s: %+v", what, took)
		}
	}
	step("none left", 0, false)
	b.driver.Unset("encoder.cap")
	step("too early", 10*time.Second, false)
	b.driver.Set("encoder.cap", "1")
	step("one of two", time.Minute, false)
	step("too early again", 30*time.Second, false)
	b.driver.Unset("encoder.cap")
	step("they are back", time.Minute, true)
	step("and stay", 2*time.Second, true)
}

// TestGPUEncodersStayAway: a session that does without encoders goes on without them
// also when the memory for them is missing.
func TestGPUEncodersStayAway(t *testing.T) {
	t.Parallel()
	own := &session{established: true}
	exhausted, memory := fault.New(fault.EncoderSessionsExhausted, "", ""), fault.New(fault.GPUOutOfMemory, "", "")
	if !own.mayLose(exhausted) || own.mayLose(memory) || (&session{}).mayLose(exhausted) {
		t.Error("only an established session may lose its encoders, to a cap")
	}
	own.lose(form{}, form{cpuEncode: true}, nil, time.Unix(100, 0))
	if !own.mayLose(memory) || own.form != (form{}) {
		t.Errorf("%+v", own)
	}
	for at, want := range map[int64]bool{100: true, 159: true, 160: false} {
		if got := own.formAt(time.Unix(at, 0), false).cpuEncode; got != want {
			t.Errorf("at %d: %t", at, got)
		}
	}
	own.lose(form{}, form{cpuDecode: true}, &refusal{lasting: true}, time.Unix(100, 0))
	own.lose(form{}, form{cpuDecode: true}, &refusal{}, time.Unix(100, 0))
	if got := own.formAt(time.Unix(900, 0), true); got != (form{true, true}) || own.form != (form{cpuDecode: true}) {
		t.Errorf("%v of %v", got, own.form)
	}
}

// TestGPUWithoutEncoderSlots: where the processor encodes, no more segments are in
// work at once than it has cores, and the reason is kept.
func TestGPUWithoutEncoderSlots(t *testing.T) {
	room := func(e *Engine) (n int64) {
		s := e.slots.Load().all
		for s.TryAcquire(1) {
			n++
		}
		s.Release(n)
		return n
	}
	b := newGPUBench(t)
	if reason, none := b.NoEncoder(); none || reason != "" || room(b.Engine) != gpuSegments {
		t.Errorf("an encoder: %q, %t, room for %d", reason, none, room(b.Engine))
	}
	b = newGPUBench(t, "device0.encodes=0")
	reason, none := b.NoEncoder()
	if want := "OpenEncodeSessionEx failed: unsupported device (2): (no details)"; !none || reason != want || room(b.Engine) != 2 {
		t.Errorf("no encoder: %q, %t, room for %d", reason, none, room(b.Engine))
	}
	if reason, none := (&Engine{}).NoEncoder(); !none || reason != "" {
		t.Errorf("the processor: %q, %t", reason, none)
	}
}

// TestGPUWarmUp: the device has done everything once before the first segment, and
// holds nothing of it.
func TestGPUWarmUp(t *testing.T) {
	d := fakegpu.Load(t)
	for script, want := range map[string]struct{ decoded, uploaded, encoded, downloaded bool }{
		"":                       {true, true, true, false},
		"device0.encodes=0":      {true, false, false, true},
		"encoder.cap=0":          {true, false, false, true},
		"device0.decodes=vp9":    {false, true, true, false},
		"device0.decode.every=1": {false, true, true, false},
		"cuda.module=222":        {true, true, false, false},
	} {
		before := d.Counts(0)
		b := newGPUBench(t, script)
		c := d.Counts(0)
		const picture = 256 * 144
		got := struct{ decoded, uploaded, encoded, downloaded bool }{c.PicturesDecoded > before.PicturesDecoded,
			c.UploadedBytes-before.UploadedBytes > picture, c.PicturesEncoded > before.PicturesEncoded, c.DownloadedBytes-before.DownloadedBytes > picture}
		if got != want {
			t.Errorf("%q: %+v, want %+v", script, got, want)
		}
		if c.Held.Decoders != 0 || c.Held.Encoders != 0 {
			t.Errorf("%q: holds %+v", script, c.Held)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestGPUFilters counts the filters of usual ladders, each of which has its kernels
// compiled and loaded apart.
func TestGPUFilters(t *testing.T) {
	b := newGPUBench(t)
	for _, row := range []struct {
		size  string
		sizes [][2]int
		want  int64
	}{
		{"854x480", [][2]int{{426, 240}}, 1}, {"1280x720", [][2]int{{854, 480}, {640, 360}, {426, 240}}, 3},
		{"640x360", [][2]int{{426, 240}, {320, 180}}, 2}, {"960x540", [][2]int{{320, 180}}, 2},
	} {
		b.clip = clipOf(t, row.size)
		j := b.job(row.size)
		j.Profiles = nil
		for _, s := range row.sizes {
			j.Profiles = append(j.Profiles, core.Profile{Name: fmt.Sprint(s), Width: s[0], Height: s[1], Bitrate: 300_000})
		}
		if _, took := b.segment(t, j); took.Modules != row.want {
			t.Errorf("%s to %v: %d filters, want %d", row.size, row.sizes, took.Modules, row.want)
		}
		if _, took := b.segment(t, j); took.Modules != 0 {
			t.Errorf("%s: %d more for the next segment", row.size, took.Modules)
		}
	}
}

func clipOf(t *testing.T, size string) []byte {
	return keptClip(t, ".ts", "-frames:v 2 -s "+size+" -c:v libx264 -preset ultrafast -pix_fmt yuv420p -threads 1", 10)
}
