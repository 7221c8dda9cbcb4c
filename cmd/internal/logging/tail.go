package logging

import (
	"log/slog"
	"sync"
	"time"
)

// The last lines are kept, this many, and this much of each, in bytes.
const (
	keptLines = 500
	keptBytes = 2 << 10
)

// Line is one line of the log as a page shows it.
type Line struct {
	// Seq counts lines since the start, from 1.
	Seq  uint64
	Time time.Time
	// Level is error, warning, info or debug.
	Level string
	// Source is where the line was made, "file.go:12".
	Source string
	// Text is the message with its attributes, "key=value".
	Text string
	// Code is the fault that the line reports, "" for none.
	Code string
}

// Tail is the log's last lines, also those that could not be written.
type Tail struct{ s *Sink }

// Tail returns the log's last lines.
func (s *Sink) Tail() Tail { return Tail{s} }

// Lines returns the last n lines, or all that are kept where that is less, oldest first.
func (t Tail) Lines(n int) []Line { return t.s.tail.last(n, t.s.form) }

// tail is a ring of lines as they were written: they are parsed only when they are
// read. The zero value is ready.
type tail struct {
	mu   sync.Mutex
	ring []kept // guarded by mu
	next int    // guarded by mu
	seq  uint64 // guarded by mu: of the last line
}

// kept is one line of the ring; its bytes are used again for the line that takes its
// place.
type kept struct {
	at    time.Time
	level slog.Level
	line  []byte
}

func (t *tail) add(at time.Time, level slog.Level, line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.ring) < keptLines {
		t.ring = append(t.ring, kept{})
	}
	k := &t.ring[t.next]
	t.next = (t.next + 1) % keptLines
	t.seq++
	k.at, k.level = at, level
	k.line = append(k.line[:0], line[:min(len(line), keptBytes)]...)
}

func (t *tail) last(n int, f form) []Line {
	t.mu.Lock()
	n = max(0, min(n, len(t.ring)))
	raw, first := make([]kept, n), t.seq-uint64(n)+1
	for i := range raw {
		k := t.ring[(t.next-n+i+keptLines)%keptLines%len(t.ring)]
		raw[i] = kept{k.at, k.level, append([]byte(nil), k.line...)}
	}
	t.mu.Unlock()
	out := make([]Line, n)
	for i, k := range raw {
		out[i] = Line{Seq: first + uint64(i), Time: k.at, Level: word(k.level)}
		f.split(string(k.line), &out[i])
	}
	return out
}
