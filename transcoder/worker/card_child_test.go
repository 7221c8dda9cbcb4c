package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/gpu/cuda"
	"github.com/tuttinode/tutti/test/gpu/trace"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// Arguments that make the test program one of those that the tests of a GPU need.
const (
	// cardArg is a media worker with the real engine.
	cardArg = "be-a-media-worker-with-libav"
	// traceArg traces a program.
	traceArg = "trace"
	// memoryArg prints how much memory of the GPU is free, in bytes.
	memoryArg = "free-memory-of-the-card"
)

// cardProgram runs one of them.
func cardProgram(args []string) (code int, ran bool) {
	if len(args) == 0 {
		return 0, false
	}
	var err error
	switch args[0] {
	case cardArg:
		err = worker.Main(context.Background(), openCardEngine)
	case traceArg:
		code, err = trace.Main(args[1:])
	case memoryArg:
		err = printFreeMemory()
	default:
		return 0, false
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, args[0]+":", err)
		return max(code, 1), true
	}
	return code, true
}

func printFreeMemory() error {
	d, err := cuda.Open(0)
	if err != nil {
		return err
	}
	defer d.Close()
	free, _, err := d.Free()
	fmt.Print(free)
	return err
}

// cardEngine is the real engine, which also does what an input says after "do:".
type cardEngine struct{ *libav.Engine }

func openCardEngine(device string) (transcoder.Engine, error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o := libav.Options{Device: device, Preset: "ultrafast", Cores: worker.Cores(), Log: log}
	if worker.ForGPU() {
		o.CUDA = &libav.CUDA{}
	}
	e, err := libav.New(o)
	if err != nil {
		return nil, err
	}
	return cardEngine{e}, nil
}

func (e cardEngine) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	what, ok := bytes.CutPrefix(job.Input, []byte("do:"))
	if !ok {
		return e.Engine.Transcode(ctx, job)
	}
	verb, arg, _ := strings.Cut(string(what), " ")
	var stderr string
	switch verb {
	case "devices":
		stderr = devices()
	case "open-to-write":
		stderr = openToWrite(arg)
	default:
		stderr = act(ctx, verb, arg)
	}
	return nil, fault.New(fault.InvalidData, verb, stderr)
}

// devices are those that CUDA shows to this process.
func devices() string {
	uuids, err := cuda.UUIDs()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(len(uuids), " ", strings.Join(uuids, ","))
}

// openToWrite opens a file that exists for writing, writes nothing, and closes it.
func openToWrite(path string) string {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return err.Error()
	}
	unix.Close(fd)
	return "done"
}

// rig is a GPU and what counts what the workers of a test call in its driver.
type rig struct {
	*card.Card
	*card.Counter
}

func openRig(t *testing.T) rig {
	t.Helper()
	return rig{card.Open(t), card.StartCounter(t)}
}

// options are those of a media worker for the GPU, or for the CPU.
func (r rig) options(gpu bool) worker.Options {
	o := worker.Options{Device: "cpu", Args: []string{cardArg}}
	if gpu {
		o.Device, o.GPU, o.UUID, o.Env = strconv.Itoa(r.Index), true, r.UUID, append(r.Card.Env(), r.Counter.Env()...)
		// A driver takes seconds to compile its kernels, too long for each worker here.
		o.Cache = os.Getenv(card.EnvKernels)
	}
	return o
}

// startCard starts a media worker with the real engine. A start that fails is recorded
// and ends the test.
func startCard(t *testing.T, what string, o worker.Options) *worker.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	begin := time.Now()
	c, err := worker.Start(ctx, o)
	if !card.NoError(t, err, what, seconds(time.Since(begin))) {
		t.FailNow()
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func megabytes(bytes int64) string { return fmt.Sprintf("%d MB", bytes>>20) }

// segment is one of the clips with which devices are tested.
type segment struct {
	clip     string
	profiles []core.Profile
}

// The smallest rendition that every hardware encoder makes, and an ordinary one.
var (
	small     = core.Profile{Name: "small", Width: 146, Height: 146, Bitrate: 1_000_000}
	smallHEVC = core.Profile{Name: "hevc", Width: 146, Height: 146, Bitrate: 1_000_000, Encoder: core.CodecHEVC}
	ordinary  = core.Profile{Name: "ordinary", Width: 640, Height: 360, Bitrate: 800_000}
	toSmall   = []core.Profile{small}
)

const (
	smallClip    = "h264_yuv420p.ts"
	ordinaryClip = "pace.ts"
)

func clip(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "devices", "clips", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// jobTime bounds a segment: a driver that hangs must not hang the test.
const jobTime = 60 * time.Second

// transcode gives a segment to an engine and checks what it makes of it.
func transcode(t *testing.T, e transcoder.Engine, session string, number int, s segment) (*core.TranscodeResult,
	error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), jobTime)
	defer cancel()
	res, err := e.Transcode(ctx, &core.TranscodeJob{
		Session: core.SessionID(session), Number: core.SegmentNumber(number), Input: clip(t,
			s.clip), Duration: time.Second, Profiles: s.profiles,
	})
	if err != nil {
		return nil, err
	}
	if len(res.Renditions) != len(s.profiles) || res.DecodedFrames == 0 {
		return res, fmt.Errorf("%d renditions of %d frames", len(res.Renditions), res.DecodedFrames)
	}
	for i, r := range res.Renditions {
		if len(r.Data) == 0 || r.Frames == 0 {
			return res, fmt.Errorf("rendition %d is empty", i)
		}
	}
	return res, nil
}

// answer asks a worker to do something and returns what came of it.
func answer(t *testing.T, e transcoder.Engine, what string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), jobTime)
	defer cancel()
	_, err := e.Transcode(ctx, job("verbs", "do:"+what))
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Code == fault.InvalidData {
		return f.Detail
	}
	return fmt.Sprintf("no answer: %v", err)
}

// withheld returns the restrictions that the system does not provide, and records each.
func withheld(t *testing.T, c *worker.Client) string {
	t.Helper()
	missing := c.Status().Missing
	for _, m := range missing {
		card.RecordCheck(t, "restriction that this system does not provide", m, "")
	}
	return strings.Join(missing, "; ")
}

// eventually waits for a condition and reports whether it came.
func eventually(t *testing.T, limit time.Duration, cond func() bool) bool {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(limit); !cond(); <-tick.C {
		if time.Now().After(end) || t.Context().Err() != nil {
			return false
		}
	}
	return true
}
