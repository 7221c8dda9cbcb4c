package worker

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// lineBytes bounds what is kept of a child's line. It can hold text out of media.
const lineBytes = 512

// words takes what a child writes, hands each line to the log, and keeps what
// explains its death.
type words struct {
	log *slog.Logger

	mu   sync.Mutex // covers the fields below
	line []byte
	last string
	// reason is the line with which the Go runtime began to die.
	reason string
}

// Write never fails: a child must not stop because of its words.
func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for rest := b; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		rest = after
		w.line = append(w.line, part[:min(len(part), lineBytes-len(w.line))]...)
		if ended {
			w.complete(strings.TrimSpace(string(w.line)))
			w.line = w.line[:0]
		}
	}
	return len(b), nil
}

func (w *words) complete(line string) {
	if line == "" {
		return
	}
	w.log.Debug("media worker says", "line", line)
	w.last = line
	if w.reason != "" {
		return
	}
	for _, start := range []string{"fatal error: ", "panic: ", "runtime: ", "SIG"} {
		if strings.HasPrefix(line, start) {
			w.reason = line
		}
	}
}

// outOfMemory reports whether the Go runtime died for want of memory.
func (w *words) outOfMemory() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(w.reason, "out of memory") || strings.Contains(w.reason, "cannot allocate")
}

// String is the line that says most: how dying began, else the last one.
func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reason != "" {
		return w.reason
	}
	return w.last
}
