package logging

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

func TestTailHoldsTheLastLines(t *testing.T) {
	t.Parallel()
	for _, f := range []form{textForm{}, jsonForm{}} {
		s := sinkTo(&bytes.Buffer{}, f)
		if got := s.Tail().Lines(5); len(got) != 0 {
			t.Fatalf("lines of an empty log: %+v", got)
		}
		for i := range 2*keptLines + 3 {
			s.log.Info("line", "n", i)
		}
		all, two := s.Tail().Lines(1<<30), s.Tail().Lines(2)
		if len(all) != keptLines || len(two) != 2 {
			t.Fatalf("%T: %d and %d lines", f, len(all), len(two))
		}
		for i, l := range two {
			if want := "line n=" + itoa(2*keptLines+1+i); l.Text != want || l.Seq != uint64(2*keptLines+2+i) ||
				l != all[keptLines-2+i] {
				t.Errorf("%T: line %d: %+v, want %q", f, i, l, want)
			}
		}
		if len(s.Tail().Lines(-1)) != 0 {
			t.Error("fewer than no lines")
		}
	}
}

func TestTailTakesLinesApart(t *testing.T) {
	t.Parallel()
	for _, f := range []form{textForm{}, jsonForm{}} {
		s := sinkTo(&bytes.Buffer{}, f)
		s.log.Warn("refused", "about", `x" code=Wrong y`, fault.Attr(fault.Wrap(fault.PortClosed, "ping", errors.New("no"))))
		s.log.Info(strings.Repeat("é", keptBytes))
		_ = s.log.Handler().Handle(t.Context(), slog.Record{Message: "from nowhere"})
		lines := s.Tail().Lines(10)
		if l := lines[0]; l.Level != "warning" || l.Code != "PortClosed" || !strings.HasPrefix(l.Source, "tail_test.go:") ||
			!strings.HasPrefix(l.Text, `refused about="x\" code=Wrong y" code=PortClosed remedy=`) {
			t.Errorf("%T: %+v", f, l)
		}
		if l := lines[1]; l.Level != "info" || len(l.Text) > keptBytes || strings.ContainsRune(l.Text, '\ufffd') {
			t.Errorf("%T: long line: %+v", f, l)
		}
		if lines[2].Source != nowhere {
			t.Errorf("%T: without a position: %+v", f, lines[2])
		}
	}
}

func TestTailWhileLinesCome(t *testing.T) {
	t.Parallel()
	s := sinkTo(&bytes.Buffer{}, textForm{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range keptLines {
				s.log.Info("line", "a", "b")
			}
		})
	}
	for range 50 {
		for _, l := range s.Tail().Lines(keptLines) {
			if l.Text != "line a=b" {
				t.Fatalf("torn: %+v", l)
			}
		}
	}
	wg.Wait()
}
