package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
)

// ffmpeg finds the program of the build, or any.
func ffmpeg(t *testing.T) string {
	t.Helper()
	own := filepath.Join(os.Getenv("TUTTI_DEPS"), "bin", "ffmpeg")
	if _, err := os.Stat(own); err == nil {
		return own
	}
	path, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("no ffmpeg here")
	}
	return path
}

func TestAComparison(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "source.m3u8")
	if err := keep(dir, list, small(t, 2)); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	status := run(t.Context(), []string{
		"-in", list, "-live=false", "-concurrentSessions", "2", "-concurrentSessionDelay", "0", "-encoderPreset", "ultrafast",
		"-transcodingOptions", "P144p30fps16x9,P240p30fps16x9", "-json", "-repeat", "2", "-against", ffmpeg(t),
	}, &out, &errs)
	if status != exitOK {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	var doc document
	if err := json.Unmarshal([]byte(out.String()), &doc); err != nil {
		t.Fatal(err)
	}
	if c := doc.Against; c == nil || c.Sessions != 2 || c.Ours.Wall <= 0 || c.Theirs.Processor <= 0 ||
		c.Ratio != c.Ours.Wall/c.Theirs.Wall || c.ProcessorRatio <= 0 || c.OursFirst.Wall <= 0 ||
		c.TheirsFirst.Wall <= 0 {
		t.Errorf("got %+v", doc.Against)
	}
	if !strings.Contains(errs.String(), "* Ratio *") {
		t.Errorf("no ratio in:\n%s", errs.String())
	}
}

func TestComparisonsThatCannotBe(t *testing.T) {
	t.Parallel()
	nothing := func(settings, []piece) error { return nil }
	s := settings{repeat: 1, against: filepath.Join(t.TempDir(), "none"), devices: []target{{name: processor}},
		profiles: []core.Profile{{Width: 256, Height: 144}}}
	good := []piece{{append([]byte("G and more"), make([]byte, 178)...), time.Second}}
	if _, err := compare(t.Context(), s, []piece{{[]byte("\x00\x00\x00\x18ftyp"), time.Second}}, 1,
		nothing); !errors.Is(err, errNoTransportStream) {
		t.Errorf("MP4: %v", err)
	}
	if _, err := compare(t.Context(), s, good, 1, nothing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no program: %v", err)
	}
	broken := errors.New("broken")
	if _, err := compare(t.Context(), s, good, 1, func(settings, []piece) error { return broken }); !errors.Is(err,
		broken) {
		t.Errorf("ours fails: %v", err)
	}
}

// What the other program has to do is what our engine does, there and here.
func TestTheOthersCommandLine(t *testing.T) {
	t.Parallel()
	r := rival{sessions: 1, input: "in.ts", period: 2 * time.Second, noEncoder: map[string]bool{"2": true},
		s: settings{preset: "fast", profiles: []core.Profile{
			{Width: 1280, Height: 720, Bitrate: 3_000_000, FPS: core.Framerate{Num: 30, Den: 1},
				Profile: core.ProfileConstrainedHigh},
			{Width: 240, Height: 427, Bitrate: 250_000, Profile: core.ProfileMain},
		}}}
	for _, row := range []struct {
		device target
		want   []string
	}{
		{target{name: processor}, []string{
			"-i in.ts -filter_complex [0:v]split=2[s0][s1];[s0]fps=30/1,scale=1280:-2[v0];[s1]scale=426:-2[v1]",
			"-c:v libx264 -preset fast -pix_fmt yuv420p", "-b:v 3000000 -maxrate 3000000 -bufsize 3000000 -profile:v high -bf 0",
			"-profile:v main -bf 3 -fps_mode passthrough -force_key_frames expr:gte(t,n_forced*2)",
		}},
		{target{name: "1"}, []string{"-hwaccel cuda -hwaccel_output_format cuda -i in.ts", "scale_cuda=1280:-2[v0]",
			"-c:v h264_nvenc -b:v 250000"}},
		{target{name: "2"}, []string{
			"-hwaccel cuda -hwaccel_output_format cuda -i in.ts",
			"scale_cuda=1280:-2:format=nv12,hwdownload,format=nv12[v0]",
			"-c:v libx264 -preset fast -b:v 250000",
		}},
	} {
		line := strings.Join(r.args(row.device), " ")
		for _, want := range row.want {
			if !strings.Contains(line, want) {
				t.Errorf("%s: %q is not in %s", row.device.name, want, line)
			}
		}
		if n := strings.Count(line, "-f mpegts /dev/null"); n != 2 {
			t.Errorf("%s: %d outputs", row.device.name, n)
		}
	}
}

func TestWalkTakesFailuresForTheLimit(t *testing.T) {
	t.Parallel()
	full := fault.New(fault.TranscoderInvalidHardware, "open encoder", "out of memory")
	for limit := 1; limit < 20; limit++ {
		got, runs, err := walk(1, func(n int) (figures, error) {
			if n > limit {
				return figures{Sessions: n, Failure: full.Error()}, nil
			}
			return figures{Sessions: n, DurationRatio: 0.1}, nil
		})
		if err != nil || *got != limit || !slices.ContainsFunc(runs, func(f figures) bool { return f.Failure != "" }) {
			t.Errorf("limit %d: found %v, %v", limit, got, err)
		}
	}
	if _, _, err := walk(4, func(int) (figures, error) { return figures{Failure: "broken"}, nil }); err == nil ||
		err.Error() != "not even one session: broken" {
		t.Errorf("got %v", err)
	}
}

// cards is an inventory that looks once a second.
type cards struct{ begin time.Time }

func (cards) Devices() []device.GPU {
	return []device.GPU{{UUID: "GPU-1", Name: "Test GPU"}, {UUID: "GPU-2"}}
}
func (cards) Err() *fault.Fault     { return nil }
func (cards) Driver() device.Driver { return device.Driver{} }
func (c cards) Sample(id device.UUID) (device.Sample, bool) {
	n := int(time.Since(c.begin) / time.Second)
	return device.Sample{
		At: c.begin.Add(time.Duration(n) * time.Second), Used: device.Bytes(1+n%3) << 30, GPU: 50,
		Encoder: device.Percent(20 * (n % 2)), Decoder: 30,
		EncoderSessions: n % 3, Temperature: 60 + n, Throttled: []string{"", "power"}[n%2],
	}, id == "GPU-1"
}

func TestWhatGPUsDid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := watching(t.Context(), cards{time.Now()})
		<-time.After(3*time.Second + time.Millisecond)
		got := seen()
		want := gpuFigures{Device: "GPU-1", Model: "Test GPU", Memory: 3 << 30, GPU: 50, Encoder: 10, Decoder: 30,
			EncoderSessions: 2, Temperature: 63, Throttled: "power"}
		if len(got) != 1 || got[0] != want {
			t.Errorf("got %+v", got)
		}
		var b strings.Builder
		if err := writeFigures(&b, figures{GPUs: got}); err != nil || !strings.Contains(b.String(), "30% / 10% / 50%") {
			t.Errorf("%s, %v", b.String(), err)
		}
		if none := watching(t.Context(), nil)(); none != nil {
			t.Errorf("without an inventory: %v", none)
		}
	})
	if fmt.Sprint(deviceNames([]target{{name: processor}})) != "[cpu]" {
		t.Error("the CPU has another name")
	}
}

// What starting takes is left out of the steady ratios, and each ratio has its own median.
func TestRatiosOfPairs(t *testing.T) {
	t.Parallel()
	pair := func(ours, oursFirst, theirs, theirsFirst float64) comparison {
		return comparison{
			Ours: effort{ours, 2 * ours}, OursFirst: effort{oursFirst, oursFirst},
			Theirs: effort{theirs, ours}, TheirsFirst: effort{theirsFirst, ours / 2},
		}.withRatios()
	}
	c := median([]comparison{pair(12, 4, 10, 2), pair(9, 1, 6, 2), pair(11, 1, 10, 5)})
	if c.Ratio != 1.2 || !slices.Equal(c.Ratios, []float64{1.1, 1.2, 1.5}) || c.ProcessorRatio != 2 {
		t.Errorf("got %+v", c)
	}
	if c.SteadyRatio != 2 || !slices.Equal(c.SteadyRatios, []float64{1, 2, 2}) {
		t.Errorf("steady: %+v", c)
	}
	if c := pair(1, 1, 1, 1); c.SteadyRatio != 0 || c.Ratio != 1 {
		t.Errorf("nothing after the first segment: %+v", c)
	}
}
