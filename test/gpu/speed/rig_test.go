package speed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/gpu/card"
)

// rig is the GPU with the programs that are measured on it.
type rig struct {
	card *card.Card
	// end is when the last measurement should be over.
	end time.Time
	// home is where programs keep what the driver compiles.
	home string
	// table has what was measured with numbers of streams.
	table []streamRow
	// realTime is how many times faster than real time each source was at best.
	realTime map[string]float64
}

func newRig(t *testing.T, c *card.Card, end time.Time) *rig {
	return &rig{card: c, end: end, home: t.TempDir(), realTime: make(map[string]float64)}
}

// figure is a figure of speed, which says so where it is none.
func (r *rig) figure(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	if !r.card.Real() {
		text += " (simulated driver: no measure of a GPU's speed)"
	}
	return text
}

// left is how long a step may take that should take no longer than limit.
func (r *rig) left(limit time.Duration) time.Duration { return min(limit, time.Until(r.end)) }

// has reports whether a step has the time that it needs, and skips its check otherwise.
func (r *rig) has(t *testing.T, what string, needs time.Duration) bool {
	t.Helper()
	if left := time.Until(r.end); left < needs {
		card.SkipCheck(t, what, noTime(needs, left))
		return false
	}
	return true
}

// noTime is the reason of a check that is skipped because it needs more time than is left.
func noTime(needs, left time.Duration) string {
	return fmt.Sprintf("no time left: it takes about %v of %v", needs.Round(time.Second),
		max(0, left).Round(time.Second))
}

// device is the GPU for tutti_bench's -gpu.
func (r *rig) device() string {
	if r.card.UUID != "" {
		return r.card.UUID
	}
	return strconv.Itoa(r.card.Index)
}

// document is what is read of tutti_bench's JSON.
type document struct {
	Runs    []figures
	Limit   *int        `json:"sessionLimit"`
	Against *comparison `json:"against"`
	// starting is what the program took besides a single run, which is mostly the start
	// of the processes.
	starting time.Duration
}

type figures struct {
	Segments  int
	RealTime  float64      `json:"realTimeSegmentsRatio"`
	Source    float64      `json:"sourceSeconds"`
	P50       float64      `json:"p50Seconds"`
	P95       float64      `json:"p95Seconds"`
	Slowest   float64      `json:"slowestSeconds"`
	First     float64      `json:"firstSegmentSeconds"`
	Later     float64      `json:"laterSegmentSeconds"`
	Processor float64      `json:"processorSeconds"`
	Wall      float64      `json:"wallSeconds"`
	Memory    int64        `json:"peakWorkerBytes"`
	GPUs      []gpuFigures `json:"gpus"`
}

type gpuFigures struct {
	Memory      int64  `json:"peakBytes"`
	GPU         int    `json:"gpuPercent"`
	Encoder     int    `json:"encoderPercent"`
	Decoder     int    `json:"decoderPercent"`
	Sessions    int    `json:"peakEncoderSessions"`
	Temperature int    `json:"peakTemperature"`
	Throttled   string `json:"throttled"`
}

type comparison struct {
	Ours, Theirs         effort
	OursFirst            effort
	TheirsFirst          effort
	Ratio                float64
	Ratios               []float64
	SteadyRatio          float64
	SteadyProcessorRatio float64
	SteadyRatios         []float64
}

type effort struct {
	Wall      float64 `json:"wallSeconds"`
	Processor float64 `json:"processorSeconds"`
}

// rate is segments per second.
func (f figures) rate() float64 { return float64(f.Segments) / f.Wall }

// factor is how many times faster than real time the streams were together.
func (f figures) factor() float64 { return f.Source / f.Wall }

// card is what the GPU did, zero where the driver does not report it.
func (f figures) card() gpuFigures {
	if len(f.GPUs) == 0 {
		return gpuFigures{}
	}
	return f.GPUs[0]
}

var errOvertime = errors.New("tutti_bench did not end in its time")

// bench runs tutti_bench on a source, as fast as it can unless args say otherwise, and
// ends it after a limit.
func (r *rig) bench(t *testing.T, s source, limit time.Duration, env []string, args ...string) (document, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	args = append([]string{"-gpu", r.device(), "-in", s.list, "-transcodingOptions", s.ladder, "-json"}, args...)
	cmd := exec.CommandContext(ctx, benchProgram, args...)
	cmd.Env = append(os.Environ(), "HOME="+r.home, "XDG_CACHE_HOME="+filepath.Join(r.home, "cache"))
	cmd.Env = append(append(cmd.Env, r.card.Env()...), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	// The program ends its own processes when it is asked to end.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	begin := time.Now()
	err := cmd.Run()
	took := time.Since(begin)
	if ctx.Err() != nil {
		return document{}, fmt.Errorf("%w of %v: %s", errOvertime, limit.Round(time.Second), lastWords(errs.String()))
	}
	if err != nil {
		return document{}, fmt.Errorf("%w: %s", err, lastWords(errs.String()))
	}
	var d document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		return d, fmt.Errorf("read what tutti_bench printed: %w", err)
	}
	if len(d.Runs) == 0 || d.Runs[0].Segments == 0 || d.Runs[0].Wall <= 0 {
		return d, errors.New("tutti_bench printed no figures")
	}
	d.starting = max(0, took-seconds(d.Runs[0].Wall))
	return d, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// lastWords is the end of what a program printed besides tables: its reason.
func lastWords(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" || strings.Contains(l, " | ") })
	return fmt.Sprintf("%.600s", strings.Join(lines[max(0, len(lines)-3):], "; "))
}

// failed records why a measurement could not be made. The node gives a segment so much
// time; a simulated driver that computes on a busy machine may need more.
func (r *rig) failed(t *testing.T, what string, err error) {
	t.Helper()
	late := func(code fault.Code) bool { return strings.Contains(err.Error(), string(code)) }
	if (late(fault.TranscodeTimeout) || late(fault.DeadlineExceeded)) && !r.card.Real() && card.Full() {
		card.SkipCheck(t, what, "the simulated driver is too slow on this machine: "+err.Error())
		return
	}
	card.NoError(t, err, what, "")
}

// fastest is for measurements that are not paced.
func fastest(streams int, args ...string) []string {
	n := strconv.Itoa(streams)
	return append([]string{"-live=false", "-concurrentSessions", n, "-concurrentSessionDelay", "0"}, args...)
}

// compile has the driver compile what both sides need: it takes seconds at the first
// start, which would count for every start in what is planned by trials.
func (r *rig) compile(t *testing.T, s source) {
	t.Helper()
	args := []string{"-segs", "3", "-until", "1ms"}
	if ffmpeg() != "" {
		args = append(args, "-against", ffmpeg())
	}
	begin := time.Now()
	_, err := r.bench(t, s, r.left(2*time.Minute), nil, fastest(1, args...)...)
	took := fmt.Sprintf("%.1f s", time.Since(begin).Seconds())
	if err != nil {
		r.failed(t, "the first start, with which the driver compiles its kernels", err)
		return
	}
	card.RecordCheck(t, "the first start, with which the driver compiles its kernels", "ours and ffmpeg's", took)
}

// trial is a short run, which says how long others will take.
func (r *rig) trial(t *testing.T, s source, streams int, limit time.Duration) (pace, error) {
	t.Helper()
	d, err := r.bench(t, s, limit, nil, fastest(streams, "-until", s.trial.String())...)
	if err != nil {
		return pace{}, err
	}
	return pace{rate: d.Runs[0].rate(), start: d.starting}, nil
}

// pace is what a run of tutti_bench takes: segments per second, and its start.
type pace struct {
	rate  float64
	start time.Duration
}

// run is how long a run of so many segments takes.
func (p pace) run(segments int) time.Duration { return p.start + seconds(float64(segments)/p.rate) }
