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
	// lineBytes bounds what is kept of a child's line. It can hold text out of media.
	lineBytes = 512
	// burstBytes and wordsPerSecond are how many bytes a child may write to its log. A
	// healthy one writes next to nothing, and at its death the stacks of its threads.
	burstBytes, bytesPerSecond = 8 << 20, 64 << 10
	// burstLines and linesPerSecond are how many of its lines reach the node's log.
	burstLines, linesPerSecond = 200, 20
)

// rateLimit is an amount that comes back at a rate.
type rateLimit struct {
	most, perSecond float64
	used            float64
	at              time.Time
}

// take uses n of it, and reports whether it was there.
func (a *rateLimit) take(n int, now time.Time) bool {
	a.used = max(0, a.used-max(0, now.Sub(a.at).Seconds())*a.perSecond)
	a.at = now
	if a.used+float64(n) > a.most {
		return false
	}
	a.used += float64(n)
	return true
}

// stderrLog takes what a child writes, hands each line to the log, and keeps what
// explains its death.
type stderrLog struct {
	log *slog.Logger
	now func() time.Time
	// onExcess is called when the child writes more than it may.
	onExcess func(detail string)

	mu   sync.Mutex // covers the fields below
	line []byte
	last string
	// reason is the line with which the Go runtime began to die.
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

// Write never fails: a child must not stop because of its words. One that writes too much
// is ended.
func (w *stderrLog) Write(b []byte) (int, error) {
	if !w.add(b) {
		w.onExcess(fmt.Sprintf("it wrote more to its log than %d KB at once and %d KB a second",
			burstBytes>>10, bytesPerSecond>>10))
	}
	return len(b), nil
}

// add takes the lines of b, unless they are too much.
func (w *stderrLog) add(b []byte) bool {
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
			w.complete(strings.TrimSpace(string(w.line)))
			w.line = w.line[:0]
		}
	}
	return true
}

func (w *stderrLog) complete(line string) {
	if line == "" {
		return
	}
	if w.lines.take(1, w.now()) {
		w.log.Debug("media worker says", "line", line, "dropped", w.dropped)
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

// outOfMemory reports whether the Go runtime died for want of memory.
func (w *stderrLog) outOfMemory() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(w.reason, "out of memory") || strings.Contains(w.reason, "cannot allocate")
}

// String is the line that says most: how dying began, else the last one.
func (w *stderrLog) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reason != "" {
		return w.reason
	}
	return w.last
}
