package libav

import (
	"context"
	"errors"
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
	b.Engine, err = New(Options{Device: "0", CUDA: &CUDA{}, Preset: "ultrafast", Cores: 2,
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))})
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
		Profiles: []core.Profile{{Name: "x", Width: 160, Height: 96, Bitrate: 200_000},
			{Name: "y", Width: 150, Height: 90, Bitrate: 200_000}}}
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

// TestGPURefusedPictures: a decoder that refuses a frame now and then stays the
// session's, and the frames are all that it costs.
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
			t.Errorf("segment %d: %d frames of 60, %d refused", n, frames, took.PicturesRefused)
		}
	}
}

// TestGPURefusedSegment: what the decoder cannot do at all is done by the CPU,
// and the next segment by the GPU again. Errors that sound like a lost GPU are none
// while the GPU does other work.
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
// forever, and is the GPU's again some time after.
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

// TestGPURefusedKeyPictures: a key frame that is refused would spoil what follows it.
func TestGPURefusedKeyPictures(t *testing.T) {
	b := newGPUBench(t, "device0.decode.every=11")
	b.clip = keptClip(t, ".ts", "-c:v libx264 -preset ultrafast -g 1 -pix_fmt yuv420p -threads 1", 10)
	if frames, took := b.segment(t, b.job("s")); frames != 60 || took.PicturesRefused != 1 {
		t.Errorf("%d frames, %+v", frames, took)
	}
}

// TestNothingButRefused: a segment of which nothing was shown is not damaged media as
// long as the device refused some of it.
func TestNothingButRefused(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		lost, shown int
		refused     bool
	}{{0, 0, false}, {1, 0, true}, {1, 1, false}} {
		k := &keptDecoder{lost: row.lost, markers: markers{shown: row.shown}}
		if _, refused := errors.AsType[*refusal](k.requireFrame()); refused != row.refused {
			t.Errorf("%+v: %t", row, refused)
		}
	}
}

// TestGPULostCardOfDecoders: a lost GPU is noticed where the CPU could do all
// the work.
func TestGPULostCardOfDecoders(t *testing.T) {
	b := newGPUBench(t, "device0.encodes=0")
	b.segment(t, b.job("s"))
	b.driver.Set("device0.fail", "999")
	if _, err := b.Transcode(context.Background(), b.job("s")); !errors.Is(err, fault.UnrecoverableState) {
		t.Errorf("got %v", err)
	}
}

// TestGPULostCard: errors of the decoder in a context that is lost are a lost GPU.
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

// TestGPULastingRefusals: what the device can never do for a session is tried once.
func TestGPULastingRefusals(t *testing.T) {
	for script, want := range map[string]form{
		"device0.decodes=vp9":       {cpuDecode: true},
		"encoder.least.width=155":   {cpuEncode: true},
		"encoder.least.height=1000": {cpuEncode: true},
	} {
		b := newGPUBench(t, script)
		b.segment(t, b.job("s"))
		if got := b.sessions.open["s"].form; got != want {
			t.Errorf("%s: %v", script, got)
		}
		if _, took := b.segment(t, b.job("s")); want.cpuEncode && took.EncodersOpened != 0 {
			t.Errorf("%s: %d encoders were tried again", script, took.EncodersOpened)
		}
	}
}

// TestGPUEncodersComeBack: a session that lost its encoders is encoded by the
// CPU, and asks again after a while.
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
