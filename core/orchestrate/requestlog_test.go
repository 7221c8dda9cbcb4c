package orchestrate

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// lined is a finished segment whose log line goes to w.
func loggedSegment(w io.Writer) *Segment {
	now := time.Unix(1e9, 0)
	o := &Orchestrator{opt: Options{
		Log: slog.New(slog.NewTextHandler(w, nil)), Now: func() time.Time { return now },
	}}
	return &Segment{
		o: o, s: &session{id: "s1"}, hold: freeHold{}, sender: core.Address{1},
		req: SegmentRequest{
			Manifest: "movie", Number: 7, Duration: 2 * time.Second, Profiles: make([]core.Profile, 2),
			From:  "192.0.2.7",
			Token: &Token{Session: "s1"},
		},
		record: segmentRecord{
			start: now.Add(-time.Second), price: pm.Price{PerUnit: 3, PixelsPerUnit: 2}, bytes: 1000,
			upload: 100 * time.Millisecond,
			queue:  50 * time.Millisecond, media: 800 * time.Millisecond, worker: "gpu 0", pixels: 101,
		},
	}
}

func TestSegmentLogLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	loggedSegment(&out).logRecord()
	want := `level=INFO msg=segment role=orchestrator manifestID=movie orchSessionID=s1 seqNo=7 ` +
		`sender=0x0100000000000000000000000000000000000000 ` +
		`clientIP=192.0.2.7 worker="gpu 0" renditions=2 source_ms=2000 source_bytes=1000 pixels=101 ` +
		`upload_ms=100 queue_ms=50 media_ms=800 ` +
		`own_ms=50 total_ms=1000 price=3/2 fee=151 outcome=ok` + "\n"
	if got := regexp.MustCompile(`^time=\S+ `).ReplaceAllString(out.String(), ""); !strings.EqualFold(got, want) {
		t.Errorf("got  %swant %s", got, want)
	}
}

func TestFeeIsThatOfThePrice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := pm.Price{PerUnit: rapid.Int64Min(0).Draw(t, "price"), PixelsPerUnit: rapid.Int64Min(0).Draw(t, "pixels")}
		units := rapid.Int64Min(0).Draw(t, "units")
		if got, want := fee(p, units), p.Of(units).Floor().String(); got != want {
			t.Errorf("%v of %d units: %s, want %s", p, units, got, want)
		}
	})
}

// The first failure of a session is a warning with its remedy, those that follow are
// not, and one for want of payment never.
func TestLogLinesOfFailedSegments(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	g := loggedSegment(&out)
	for i, tt := range []struct {
		code fault.Code
		want string
	}{
		{fault.ZeroSegments, "level=WARN msg=segment"}, {fault.ZeroSegments, "level=INFO msg=segment"},
		{"", "outcome=ok"}, {fault.InsufficientBalance, "level=INFO msg=segment"},
	} {
		out.Reset()
		var err error
		if tt.code != "" {
			err = fault.New(tt.code, "transcode", "")
		}
		g.recordOutcome(err)
		g.Failed(err)
		g.logRecord()
		if got := out.String(); !strings.Contains(got, tt.want) ||
			(tt.code != "") != strings.Contains(got, "outcome="+string(tt.code)+" ") || strings.Count(got, "\n") != 1 {
			t.Errorf("%d: %s", i, got)
		}
	}
}

func BenchmarkSegmentLogLine(b *testing.B) {
	g := loggedSegment(io.Discard)
	g.o.opt.Log = slog.New(nothing{slog.DiscardHandler})
	b.ReportAllocs()
	for b.Loop() {
		g.logRecord()
	}
}

// nothing takes lines and does nothing with them: what is measured is their making.
type nothing struct{ slog.Handler }

func (nothing) Enabled(context.Context, slog.Level) bool { return true }
