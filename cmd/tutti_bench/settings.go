package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
)

// settings are what the command line says.
type settings struct {
	in       string
	live     bool
	sessions int
	delay    time.Duration
	segments int
	// until is when no more segments are begun, 0 for no bound.
	until time.Duration
	// fresh ends the session after each segment.
	fresh     bool
	repeat    int
	ladder    string
	profiles  []core.Profile
	selection device.Selection
	devices   []target
	// inventory shows what GPUs do, nil where none is measured.
	inventory device.Inventory
	against   string
	outputSettings
	walk      bool
	preset    string
	inProcess bool
	version   bool
}

// outputSettings say what is reported and kept.
type outputSettings struct {
	outPrefix string
	signature bool
	logLevel  int
	json      bool
}

const defaultLadder = "P240p30fps16x9,P360p30fps16x9,P720p30fps16x9"

// parse reads the command line. Its errors name the flag.
func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	var cards, nvidia, netint string
	fs := flag.NewFlagSet("tutti_bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&s.in, "in", "", "local media playlist (.m3u8) or media `file`; empty: a generated 1080p30 clip")
	fs.BoolVar(&s.live, "live", true, "pace segments in real time")
	fs.IntVar(&s.sessions, "concurrentSessions", 1, "sessions at once; with -walk the number to begin with")
	fs.DurationVar(&s.delay, "concurrentSessionDelay", 300*time.Millisecond, "time between the starts of two sessions")
	fs.IntVar(&s.segments, "segs", 0, "segments per session, 0: all")
	fs.DurationVar(&s.until, "until", 0, "start no segment later; without -segs the input starts over; 0: no bound")
	fs.BoolVar(&s.fresh, "fresh", false, "end the session after each segment, so that nothing is kept for the next")
	fs.IntVar(&s.repeat, "repeat", 1, "measurements one after another")
	fs.StringVar(&s.ladder, "transcodingOptions", defaultLadder, "renditions: preset names, or the path of a JSON file")
	fs.StringVar(&cards, "gpu", "",
		"all, or GPU indices or UUIDs separated by commas; sessions take turns on them; empty: the CPU")
	fs.StringVar(&nvidia, "nvidia", "", "the same as -gpu")
	fs.StringVar(&netint, "netint", "", "not supported by this program")
	fs.StringVar(&s.outPrefix, "outPrefix", "", "write the renditions to files that begin so")
	fs.BoolVar(&s.signature, "mpeg7Sign", false, "compute MPEG-7 video signatures as well")
	fs.IntVar(&s.logLevel, "log", 3, "what the media workers say, from 4 on")
	fs.BoolVar(&s.walk, "walk", false,
		"raise the sessions until the real-time duration ratio passes 0.8, and print the limit")
	fs.BoolVar(&s.walk, "findLimit", false, "the same as -walk")
	fs.StringVar(&s.against, "against", "", "an ffmpeg `program` that does the same on the same devices at the end, "+
		"both as fast as they can; the ratio is printed")
	fs.BoolVar(&s.json, "json", false, "print one JSON document instead of CSV lines")
	fs.StringVar(&s.preset, "encoderPreset", "", "x264 preset; empty: the node's default")
	fs.BoolVar(&s.inProcess, "inProcess", false, "without media-worker processes")
	fs.BoolVar(&s.version, "version", false, "print the version")
	if err := fs.Parse(args); err != nil {
		return s, err
	}
	if fs.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q: values of switches need a =, as in -live=false", fs.Arg(0))
	}
	var errs []error
	positive := func(name string, v, least int) {
		if v < least {
			errs = append(errs, fmt.Errorf("-%s is %d: give at least %d", name, v, least))
		}
	}
	positive("concurrentSessions", s.sessions, 1)
	positive("repeat", s.repeat, 1)
	positive("segs", s.segments, 0)
	if s.until < 0 {
		errs = append(errs, fmt.Errorf("-until is %v: give at least 0s", s.until))
	}
	if netint != "" {
		errs = append(errs, errors.New("-netint: these devices need a private FFmpeg and are not supported; leave the "+
			"flag out"))
	}
	if cards != "" && nvidia != "" && cards != nvidia {
		errs = append(errs, errors.New("-gpu and -nvidia are the same setting: give one of them"))
	}
	var err error
	if s.selection, err = selection(cmp.Or(cards, nvidia)); err != nil {
		errs = append(errs, err)
	}
	s.devices = targets(s.selection)
	if s.inProcess && !s.selection.None() {
		errs = append(errs, errors.New("-inProcess is for the CPU: leave it out, or -gpu"))
	}
	if s.profiles, err = ladder(s.ladder); err != nil {
		errs = append(errs, fmt.Errorf("-transcodingOptions: %w", err))
	}
	return s, errors.Join(errs...)
}

// ladder reads preset names, or a JSON file when the text looks like a path.
func ladder(s string) ([]core.Profile, error) {
	if !strings.ContainsAny(s, "/\\") && !strings.HasSuffix(s, ".json") {
		return core.ParsePresets(s)
	}
	data, err := os.ReadFile(s)
	if err != nil {
		return nil, err
	}
	return core.ParseProfilesJSON(data)
}
