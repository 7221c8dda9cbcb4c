// Package clip makes segments to push: a generated, moving test pattern with a
// burned-in time code and a tone, or the pieces of a media file cut at its key
// frames.
//
// It is the source of the demonstration, the benchmark and the tests. It never
// sees a peer's bytes: a segment that arrives over the network is the engine's
// business, inside a media worker.
//
// check.go decodes source and rendition in full and compares frames, times, sizes and
// sound. It trusts nothing that the node says about its own work.
package clip

import (
	"context"
	"time"

	"github.com/asticode/go-astiav"
)

// Segment is one piece of a stream, ready to be pushed.
type Segment struct {
	// Number counts from 0.
	Number int
	// Data is a whole MPEG-TS file that starts with a key frame.
	Data []byte
	// Duration is the playing time of the segment's video.
	Duration time.Duration
	// Frames counts the video frames in it.
	Frames int
}

// Source gives segments in order. Next returns io.EOF after the last one. Close
// frees native memory and may be called once Next is no longer running.
type Source interface {
	Next(ctx context.Context) (Segment, error)
	Close()
}

// ticks is the time base of everything here: MPEG-TS's 90 kHz.
func ticks() astiav.Rational { return astiav.NewRational(1, 90000) }

func playTime(ticks int64) time.Duration {
	return time.Duration(ticks) * time.Second / 90000
}

// quiet keeps what libav has to say about ordinary work off standard error. The
// level is the process's; every program that makes clips wants it so.
func quiet() { astiav.SetLogLevel(astiav.LogLevelError) }
