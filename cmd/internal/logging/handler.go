package logging

import (
	"context"
	"log/slog"
	"runtime"
	"slices"

	"github.com/golang/glog"
)

// handler makes lines of records. A handler never changes: WithAttrs and
// WithGroup return copies, so that a child's fields stay its own.
type handler struct {
	sink *Sink
	// fields are the bound attributes, written out already.
	fields []byte
	// group is the prefix of further keys, "media.decode.".
	group string
}

// verbosityOf returns the -v that a level below Info needs: Debug 4, two levels finer
// one more.
func verbosityOf(level slog.Level) glog.Level {
	return glog.Level(4 + (slog.LevelDebug-level)/2)
}

// Enabled answers from -v alone where it can; with -vmodule the file decides,
// which is known only in Handle.
func (h *handler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.sink.perFile.Load() ||
		glog.Level(h.sink.verbosity.Load()) >= verbosityOf(level)
}

// WithAttrs binds attributes.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	child := *h
	child.fields = slices.Clip(h.fields)
	for _, a := range attrs {
		child.fields = appendAttr(h.sink.form, child.fields, h.group, a, 0)
	}
	return &child
}

// WithGroup puts a prefix before the keys that follow.
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	child := *h
	child.group = h.group + name + "."
	return &child
}

// maxKept is the longest buffer that is kept, in bytes.
const maxKept = 4 << 10

// Handle writes the record as one line, with the position of the call that made
// it. A line that cannot be written is counted and dropped.
func (h *handler) Handle(_ context.Context, r slog.Record) error {
	if r.Level < slog.LevelInfo {
		depth := 0
		if r.PC != 0 {
			depth = depthOf(r.PC)
		}
		if !glog.VDepth(depth, verbosityOf(r.Level)) {
			return nil
		}
	}
	buffer, ok := h.sink.buffers.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	now, position, form := h.sink.now(), h.sink.positions.of(r.PC), h.sink.form
	line := form.begin((*buffer)[:0], &r, now, h.sink.pid, position)
	line = append(line, h.fields...)
	r.Attrs(func(a slog.Attr) bool {
		line = appendAttr(form, line, h.group, a, 0)
		return true
	})
	line = form.end(line)
	h.sink.tail.add(now, r.Level, line)
	h.sink.out.write(severityOf(r.Level), line)
	if *buffer = line; cap(line) <= maxKept {
		h.sink.buffers.Put(buffer)
	}
	return nil
}

// maxDepth is how far up the record's origin is looked for.
const maxDepth = 24

// depthOf returns how many calls above Handle the record was made. Looking for
// the record's own position instead of counting slog's frames survives wrappers
// and releases of slog. For a record handed over from elsewhere it is 0.
func depthOf(pc uintptr) int {
	var pcs [maxDepth]uintptr
	// Skip runtime.Callers and depthOf: index 0 is Handle.
	n := runtime.Callers(2, pcs[:])
	return max(0, slices.Index(pcs[:n], pc))
}
