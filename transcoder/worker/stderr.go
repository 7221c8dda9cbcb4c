package worker

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// lineBytes bounds a line of a child's log, which may contain text from media.
	lineBytes = 512
	// burstBytes and bytesPerSecond are how many bytes a child may write to its log. A healthy
	// one writes next to nothing, except thread stacks in a crash.
	burstBytes, bytesPerSecond = 8 << 20, 64 << 10
	// burstLines and linesPerSecond are how many of its lines reach the node's log.
	burstLines, linesPerSecond = 200, 20
)

// rateLimit is a token bucket.
type rateLimit struct {
	most, perSecond float64
	used            float64
	at              time.Time
}

// take takes n tokens, and reports whether they were available.
func (l *rateLimit) take(n int, now time.Time) bool {
	l.used = max(0, l.used-max(0, now.Sub(l.at).Seconds())*l.perSecond)
	l.at = now
	if l.used+float64(n) > l.most {
		return false
	}
	l.used += float64(n)
	return true
}

// stderrLog takes a child's stderr, logs each line, and keeps the line that explains its
// end.
type stderrLog struct {
	log *slog.Logger
	now func() time.Time
	// onExcess is called when the child exceeds its limit.
	onExcess func(detail string)

	mu   sync.Mutex // covers the fields below
	line []byte
	last string
	// reason is the first line of a crash of the Go runtime.
	reason       string
	bytes, lines rateLimit
	// dropped counts the lines that did not reach the log since the last that did.
	dropped int
}

func newStderrLog(log *slog.Logger) *stderrLog {
	return &stderrLog{
		log: log, now: time.Now,
		bytes: rateLimit{most: burstBytes, perSecond: bytesPerSecond},
		lines: rateLimit{most: burstLines, perSecond: linesPerSecond},
	}
}

// Write never fails, because the log must not block a child. A child that writes too much is
// killed.
func (w *stderrLog) Write(b []byte) (int, error) {
	if !w.accept(b) {
		w.onExcess(fmt.Sprintf("it wrote more to its log than %d KB at once and %d KB a second",
			burstBytes>>10, bytesPerSecond>>10))
	}
	return len(b), nil
}

// accept takes the lines of b, unless they exceed the limit.
func (w *stderrLog) accept(b []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.bytes.take(len(b), w.now()) {
		return false
	}
	for rest := b; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		rest = after
		w.line = append(w.line, part[:min(len(part), lineBytes-len(w.line))]...)
		if ended {
			w.endLine(strings.TrimSpace(string(w.line)))
			w.line = w.line[:0]
		}
	}
	return true
}

// endLine logs a complete line and keeps it if it explains the end.
func (w *stderrLog) endLine(line string) {
	if line == "" {
		return
	}
	if w.lines.take(1, w.now()) {
		w.log.Debug("media worker log", "line", line, "dropped", w.dropped)
		w.dropped = 0
	} else {
		w.dropped++
	}
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

// outOfMemory reports whether the Go runtime ran out of memory.
func (w *stderrLog) outOfMemory() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(w.reason, "out of memory") || strings.Contains(w.reason, "cannot allocate")
}

// String returns the most informative line: the first of a crash, else the last one.
func (w *stderrLog) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reason != "" {
		return w.reason
	}
	return w.last
}
