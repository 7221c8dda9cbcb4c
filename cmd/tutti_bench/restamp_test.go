package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
)

// An input that starts over is one stream for the other program: its frames follow one
// another at one pace, and it makes as many of them as we do.
func TestARepeatedInputGoesOn(t *testing.T) {
	t.Parallel()
	pieces := small(t, 2)
	all := append(append(append([]piece(nil), pieces...), pieces...), pieces[0])
	before := bytes.Clone(pieces[0].data)
	path, period, err := joined(filepath.Join(t.TempDir(), "all.ts"), all)
	if err != nil || period != time.Second || !bytes.Equal(before, pieces[0].data) {
		t.Fatalf("%v, %v; the input must stay as it was", period, err)
	}
	for stream, step := range map[string]float64{"v": 1 / 30.0, "a": 1024 / 48000.0} {
		times := presented(t, path, stream)
		for i := 1; i < len(times); i++ {
			d := times[i] - times[i-1]
			// The sound does not end with the last frame exactly, but a packet earlier or later.
			if stream == "v" && d < 0.9*step || d < -step || d > 2.1*step {
				t.Fatalf("%s: packet %d comes %v s after the one before, at %v s", stream, i, d, times[i])
			}
		}
		if stream == "v" && len(times) != 5*30 {
			t.Errorf("%d frames", len(times))
		}
	}
	r := rival{sessions: 1, input: path, period: period}
	r.s = settings{preset: "ultrafast", profiles: []core.Profile{{Width: 256, Height: 144,
		FPS: core.Framerate{Num: 30, Den: 1}}}}
	args := r.args(target{name: processor})
	out := filepath.Join(t.TempDir(), "out.ts")
	args[len(args)-1] = out
	if text, err := exec.CommandContext(t.Context(), ffmpeg(t), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if n := len(presented(t, out, "v")); n != 5*30 {
		t.Errorf("the other program made %d frames of 150", n)
	}
}

// Clocks and times wrap as MPEG-TS has them, and marker bits stay.
func TestTimesAreMoved(t *testing.T) {
	t.Parallel()
	last := int64(1<<clockBits - 1)
	for _, row := range [][2]int64{{0, 5}, {last, 1}, {1 << 32, 1 << 32}, {0x155555555, 90000},
		{12345678, 8589934591}} {
		want := (row[0] + row[1]) & last
		b := []byte{0x31, 0, 1, 0, 1}
		moveTime(b, row[0])
		moveTime(b, row[1])
		again := []byte{0x31, 0, 1, 0, 1}
		moveTime(again, want)
		if !bytes.Equal(b, again) || b[0]&0xf1 != 0x31 || b[2]&1 != 1 || b[4]&1 != 1 {
			t.Errorf("%d and %d: % x, want % x", row[0], row[1], b, again)
		}
		c, direct := []byte{0, 0, 0, 0, 0x7e, 7}, []byte{0, 0, 0, 0, 0x7e, 7}
		moveClock(c, row[0])
		moveClock(c, row[1])
		moveClock(direct, want)
		if !bytes.Equal(c, direct) || c[4]&0x7f != 0x7e || c[5] != 7 {
			t.Errorf("clock, %d and %d: % x, want % x", row[0], row[1], c, direct)
		}
	}
}

// presented are the presentation times of a stream's packets in order, in seconds.
func presented(t *testing.T, path, stream string) []float64 {
	t.Helper()
	probe := filepath.Join(filepath.Dir(ffmpeg(t)), "ffprobe")
	args := []string{"-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time", "-of", "csv=p=0",
		path}
	text, err := exec.CommandContext(t.Context(), probe, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for line := range strings.Lines(string(text)) {
		v, err := strconv.ParseFloat(strings.Trim(strings.TrimSpace(line), ","), 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}
