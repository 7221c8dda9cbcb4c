package live

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// An output that stops has a line at first, then one a minute with the number of times. Outputs
// of many streams to one host do not have one each without end.
func TestAnOutputThatStopsHasALineAMinute(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	srv := &Server{o: Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Now: func() time.Time { return now }}}
	s, stops := &stream{srv: srv, published: published{id: "s"}}, &outputStops{}
	for range 13 {
		s.warnOutput(stops, "rtmp://media.example.org/live/key", errSlowOutput)
		now = now.Add(5 * time.Second)
	}
	if n := strings.Count(log.String(), "\n"); n != 2 || !strings.Contains(log.String(), "times=12") {
		t.Errorf("%d lines: %s", n, log.String())
	}
	log.Reset()
	for i := range 1000 {
		other := &stream{srv: srv, published: published{id: fmt.Sprint("s", i)}}
		other.warnOutput(&outputStops{}, "rtmp://media.example.org/live/key", errSlowOutput)
	}
	if n := strings.Count(log.String(), "\n"); n == 0 || n > 50 {
		t.Errorf("%d lines of 1000 streams", n)
	}
}
