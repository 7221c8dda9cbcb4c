package main

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-concurrentSessions 0": "-concurrentSessions is 0: give at least 1",
		"-repeat 0":             "-repeat is 0: give at least 1",
		"-segs -1":              "-segs is -1: give at least 0",
		"-until -1s":            "-until is -1s: give at least 0s",
		"-netint x": "-netint: these devices need a private FFmpeg and are not supported; leave the " +
			"flag out",
		"-gpu 0 -nvidia 1":                "-gpu and -nvidia are the same setting: give one of them",
		"-gpu 0 -inProcess":               "-inProcess is for the CPU: leave it out, or -gpu",
		"-gpu 0,MIG-1":                    "-gpu: a part of a GPU (MIG) cannot transcode",
		"-live false":                     `unexpected argument "false": values of switches need a =, as in -live=false`,
		"-transcodingOptions nonsense":    "-transcodingOptions: ",
		"-transcodingOptions /none.json":  "-transcodingOptions: ",
		"-concurrentSessionDelay forever": "-concurrentSessionDelay",
	} {
		_, err := parse(strings.Fields(args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestDevicesTakeTurns(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]string{"": {"cpu"}, "-gpu 0,2": {"0", "2"}, "-nvidia 1": {"1"},
		"-gpu 3 -nvidia 3": {"3"}, "-gpu 1,GPU-8932f937": {"1", "GPU-8932f937"}} {
		s, err := parse(strings.Fields(args), io.Discard)
		if err != nil || !slices.Equal(deviceNames(s.devices), want) {
			t.Errorf("%q: %v, %v", args, s.devices, err)
		}
	}
}

func TestPlaylists(t *testing.T) {
	t.Parallel()
	got, err := parsePlaylist(strings.NewReader("#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:2.002,title\na.ts\n\n#EXTINF: " +
		"1.5\n# comment\nsub/b.ts\n#EXT-X-ENDLIST\n"))
	want := []entry{{"a.ts", 2002 * time.Millisecond}, {"sub/b.ts", 1500 * time.Millisecond}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"":                                       "no HLS media playlist",
		"hello":                                  "no HLS media playlist",
		"#EXTM3U\n#EXTINF:x,\na.ts":              "line 2",
		"#EXTM3U\n#EXTINF:-1,\na.ts":             "line 2",
		"#EXTM3U\n#EXT-X-STREAM-INF:A=1\nx.m3u8": "playlist of playlists",
	} {
		if _, err := parsePlaylist(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzPlaylist(f *testing.F) {
	f.Add("#EXTM3U\n#EXTINF:2,\na.ts\n")
	f.Add("#EXTM3U\n#EXTINF:NaN,\na.ts\n")
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := parsePlaylist(strings.NewReader(text))
		for _, e := range entries {
			if err == nil && (e.name == "" || e.duration < 0 || e.duration > 300*time.Second) {
				t.Errorf("entry %+v", e)
			}
		}
	})
}

func TestFigures(t *testing.T) {
	t.Parallel()
	var samples []sample
	for i := range 100 {
		samples = append(samples, sample{2 * time.Second, time.Duration(i+1) * 30 * time.Millisecond, i == 99})
	}
	f := summarize(4, samples, time.Minute, 5)
	if f.Segments != 100 || f.RealTime != 66 || f.SegmentRatio != 0.66 || f.Source != 200 || f.P50 != 1.5 ||
		f.P95 != 2.85 || math.Abs(f.P99-2.97) > 1e-9 {
		t.Errorf("got %+v", f)
	}
	if math.Abs(f.DurationRatio-0.7575) > 1e-9 {
		t.Errorf("ratio %v", f.DurationRatio)
	}
	if f.Slowest != 3 || f.First != 3 || math.Abs(f.Later-1.5) > 1e-9 {
		t.Errorf("slowest %v, first %v, later %v", f.Slowest, f.First, f.Later)
	}
	if f := summarize(1, []sample{{time.Second, time.Second, true}}, 0, 0); f.P50 != 1 || f.P99 != 1 ||
		f.RealTime != 1 || f.First != 1 || f.Later != 0 {
		t.Errorf("one segment: %+v", f)
	}
	if f := summarize(1, nil, 0, 0); f.DurationRatio != 0 {
		t.Errorf("nothing: %+v", f)
	}
}

func TestWalk(t *testing.T) {
	t.Parallel()
	for limit := range 40 {
		for _, first := range []int{1, 2, 5} {
			tried := map[int]bool{}
			got, runs, err := walk(first, func(n int) (figures, error) {
				if tried[n] || n < 1 {
					t.Fatalf("limit %d, first %d: %d sessions measured twice or not possible", limit, first, n)
				}
				tried[n] = true
				return figures{Sessions: n, DurationRatio: maxRatio * float64(n) / (float64(limit) + 0.5)}, nil
			})
			if err != nil || *got != limit || len(runs) != len(tried) {
				t.Errorf("limit %d, first %d: found %v, %v", limit, first, *got, err)
			}
		}
	}
	broken := errors.New("broken")
	if _, _, err := walk(1, func(int) (figures, error) { return figures{}, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
