// Command bench prints the figures by which tutti's video path is measured, each
// compared with its peer measured in the same run: the ffmpeg program of the same build,
// given the same segments, preset and ladder.
//
// It prints ratios and asserts nothing but that every rendition has every frame:
// figures depend on the machine, so no test waits on them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

type settings struct {
	bin, ffmpeg string
	preset      string
	segments    int
	runs        int
	dir         string
	out         io.Writer
	sheet       *figures.Sheet
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 2 && args[0] == engineCommand {
		if err := runEngine(context.Background(), args[1], args[2:]); err != nil {
			fmt.Fprintln(stderr, "bench:", err)
			return 1
		}
		return 0
	}
	s := settings{out: stdout}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	s.sheet = figures.New("bench", stdout, fs)
	fs.StringVar(&s.bin, "bin", "bin", "folder of tutti and tutti_bench")
	fs.StringVar(&s.ffmpeg, "ffmpeg", filepath.Join(os.Getenv("TUTTI_DEPS"), "bin", "ffmpeg"), "the peer")
	fs.StringVar(&s.preset, "preset", "veryfast", "x264 preset for both")
	fs.IntVar(&s.segments, "segments", 3, "segments of 2 s per stream")
	fs.IntVar(&s.runs, "runs", 3, "repetitions; the median counts")
	only := fs.String("only", "", "one of cpu, path, memory, start; empty runs all")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", "tutti-bench")
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	s.dir = dir
	if err := s.all(ctx, *only); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

func (s settings) all(ctx context.Context, only string) error {
	segs, err := source(ctx, s.segments)
	if err != nil {
		return fmt.Errorf("generate the source: %w", err)
	}
	bytes := 0
	for i, seg := range segs {
		bytes += len(seg.Data)
		if err := os.WriteFile(s.segment(i), seg.Data, 0o600); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.out, "source: %d × 2 s, 1080p30 H.264 + AAC, %.1f Mb/s; ladder 720p 3000k, 480p 1600k, 360p 800k; "+
		"preset %s\n\n",
		len(segs), float64(bytes)*8/1e6/(2*float64(len(segs))), s.preset)
	for _, part := range []struct {
		name string
		run  func(context.Context, []clip.Segment) error
	}{{"cpu", s.cpu}, {"path", s.path}, {"memory", s.memory}, {"start", s.start}} {
		if only != "" && only != part.name {
			continue
		}
		s.sheet.Part(part.name)
		if err := part.run(ctx, segs); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return s.sheet.Save()
}

func (s settings) segment(i int) string { return filepath.Join(s.dir, fmt.Sprintf("source%d.ts", i)) }

func source(ctx context.Context, count int) ([]clip.Segment, error) {
	return clip.GenerateAll(ctx, clip.Options{Width: 1920, Height: 1080, Segments: count, Bitrate: 6_000_000, Noise: 12,
		Segment: 2 * time.Second})
}
