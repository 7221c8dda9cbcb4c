package logging

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"
)

// sinkTo is a sink that writes to a buffer.
func sinkTo(out *bytes.Buffer, f form) *Sink {
	s := &Sink{form: f, pid: 1, now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC) }}
	s.out = newOutput(out, s.lostLine)
	s.verbosity.Store(MaxVerbosity)
	s.log = slog.New(&handler{sink: s})
	return s
}

func TestJSONLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := sinkTo(&out, jsonForm{}).log.With("session", "s\n1").WithGroup("g")
	log.Info("it \"is\"", "n", 1, "f", math.NaN(), "ok", true, "d", 2*time.Second, slog.Group("in", "x", "y"))
	_, _, line, _ := runtime.Caller(0)
	want := map[string]any{
		"time": "2026-01-02T03:04:05.000006Z", "level": "info", "source": "json_test.go:" + itoa(line-1), "msg": `it "is"`,
		"session": "s\n1", "g.n": 1.0, "g.f": "NaN", "g.ok": true, "g.d": "2s", "g.in.x": "y",
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s is %v, want %v", k, got[k], v)
		}
	}
}

func itoa(n int) string { return slog.IntValue(n).String() }

func TestReservedNamesStayUnique(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	sinkTo(&out, jsonForm{}).log.Warn("x", "msg", "peer's", "level", 3)
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got["msg"] != "x" || got["msg_"] != "peer's" ||
		got["level"] != "warning" {
		t.Errorf("%v: %v", err, got)
	}
}

func TestLinesAreBounded(t *testing.T) {
	t.Parallel()
	for _, f := range []form{textForm{}, jsonForm{}} {
		var out bytes.Buffer
		var attrs []any
		for range 100 {
			attrs = append(attrs, strings.Repeat("k\x00", 900), strings.Repeat("é\x01", 5000))
		}
		sinkTo(&out, f).log.Info("many", attrs...)
		if out.Len() > maxLine+7*(2*maxValue)+100 || bytes.Count(out.Bytes(), []byte("\n")) != 1 {
			t.Errorf("%T: %d bytes, %d lines", f, out.Len(), bytes.Count(out.Bytes(), []byte("\n")))
		}
		if _, is := f.(jsonForm); is && !json.Valid(out.Bytes()) {
			t.Errorf("not valid: …%s", out.Bytes()[out.Len()-200:])
		}
	}
}

// Whatever a peer sends, a line is one line, valid, and the tail reads it.
func FuzzLines(f *testing.F) {
	f.Add("msg", "key", "value")
	f.Add("\xff\u2028", "a=b \"", "x code=Y\n\x00")
	f.Fuzz(func(t *testing.T, message, key, value string) {
		for _, form := range []form{textForm{}, jsonForm{}} {
			var out bytes.Buffer
			s := sinkTo(&out, form)
			s.log.With(key, value).Info(message, key, value, "code", "Real")
			if n := bytes.Count(out.Bytes(), []byte("\n")); n != 1 || !bytes.HasSuffix(out.Bytes(), []byte("\n")) {
				t.Fatalf("%d lines: %q", n, &out)
			}
			if _, is := form.(jsonForm); is && !json.Valid(out.Bytes()) {
				t.Fatalf("not valid: %q", &out)
			}
			lines := s.Tail().Lines(10)
			if len(lines) != 1 || lines[0].Level != "info" || strings.ContainsAny(lines[0].Text, "\n\x00") {
				t.Fatalf("tail: %+v", lines)
			}
		}
	})
}

func BenchmarkLine(b *testing.B) {
	for name, f := range map[string]form{"text": textForm{}, "json": jsonForm{}} {
		b.Run(name, func(b *testing.B) {
			var out bytes.Buffer
			s := sinkTo(&out, f)
			var pcs [1]uintptr
			b.ReportAllocs()
			for b.Loop() {
				out.Reset()
				runtime.Callers(1, pcs[:])
				r := slog.NewRecord(s.now(), slog.LevelInfo, "segment", pcs[0])
				r.AddAttrs(slog.String("manifestID", "a1b2c3d4"), slog.Int64("seqNo", 12), slog.Float64("total_ms", 812.25),
					slog.Float64("own_ms", 3.5), slog.Int64("pixels", 1<<30), slog.String("worker", "gpu 0"),
					slog.String("outcome", "ok"))
				_ = s.log.Handler().Handle(b.Context(), r)
			}
		})
	}
}
