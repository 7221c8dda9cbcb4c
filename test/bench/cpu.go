package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/transcoder/libav"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// engineCommand makes this program run the engine alone over some files, so that
// its CPU time can be told from that of all others.
const engineCommand = "engine"

// cpu compares the CPU time of the engine with that of one ffmpeg process that
// makes the same ladder in one decode.
func (s settings) cpu(ctx context.Context, segs []clip.Segment) error {
	if err := s.checkEngine(ctx, segs[0]); err != nil {
		return err
	}
	seconds := 2 * float64(len(segs))
	var ours, theirs, wallOurs, wallTheirs []float64
	for range s.runs {
		begin := time.Now()
		cpu, err := s.engine(ctx, len(segs))
		if err != nil {
			return err
		}
		ours = append(ours, cpu.Seconds()/seconds)
		wallOurs = append(wallOurs, time.Since(begin).Seconds()/seconds)
		wall, cpu, err := s.peer(ctx, len(segs), 1, 0)
		if err != nil {
			return err
		}
		theirs = append(theirs, cpu.Seconds()/seconds)
		wallTheirs = append(wallTheirs, wall.Seconds()/seconds)
	}
	fmt.Fprintf(s.out, "engine, one stream, automatic threads (median of %d)\n", s.runs)
	fmt.Fprintf(s.out, "  %-44s %9s %9s %14s\n", "per second of source", "tutti", "ffmpeg", "ratio")
	s.compare("CPU seconds", ours, theirs)
	s.compare("wall seconds", wallOurs, wallTheirs)
	fmt.Fprintln(s.out)
	return nil
}

// compare prints the medians of a time and of ffmpeg's.
func (s settings) compare(what string, ours, theirs []float64) {
	a, b := figures.Median(ours), figures.Median(theirs)
	s.sheet.Compare(figures.Lower, what, "s", a, b, a/b, 0)
}

// engine runs the engine over the source's segments in a process of its own.
func (s settings) engine(ctx context.Context, segments int) (time.Duration, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	args := []string{engineCommand, s.preset}
	for i := range segments {
		args = append(args, s.segment(i))
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("run the engine: %w", err)
	}
	return used(cmd.ProcessState.SysUsage()), nil
}

// runEngine is the child's side of engine.
func runEngine(ctx context.Context, preset string, files []string) error {
	e, err := libav.New(libav.Options{Device: "cpu", Preset: preset, Cores: runtime.NumCPU()})
	if err != nil {
		return err
	}
	defer e.Close()
	profiles, err := coreLadder()
	if err != nil {
		return err
	}
	for i, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := e.Transcode(ctx, &core.TranscodeJob{
			Session: "bench", Manifest: "bench", Number: core.SegmentNumber(i), Input: data,
			Duration: 2 * time.Second, Profiles: profiles, Origin: "offchain",
		}); err != nil {
			return err
		}
	}
	return nil
}

// checkEngine makes sure that what is measured is the whole work.
func (s settings) checkEngine(ctx context.Context, seg clip.Segment) error {
	e, err := libav.New(libav.Options{Device: "cpu", Preset: s.preset, Cores: runtime.NumCPU()})
	if err != nil {
		return err
	}
	defer e.Close()
	profiles, err := coreLadder()
	if err != nil {
		return err
	}
	source, err := clip.ReadRendition(ctx, seg.Data)
	if err != nil {
		return err
	}
	out, err := e.Transcode(ctx, &core.TranscodeJob{
		Session: "judge", Manifest: "judge", Input: seg.Data, Duration: seg.Duration, Profiles: profiles, Origin: "offchain",
	})
	if err != nil {
		return err
	}
	var problems []error
	for i, r := range out.Renditions {
		problems = append(problems, source.Rendition(ctx, r.Data, profiles[i]))
	}
	return errors.Join(problems...)
}

// coreLadder is the ladder as the node's own profiles.
func coreLadder() ([]core.Profile, error) {
	text, err := json.Marshal(jsonLadder())
	if err != nil {
		return nil, err
	}
	return core.ParseProfilesJSON(text)
}
