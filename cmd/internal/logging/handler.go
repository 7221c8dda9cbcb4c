package logging

import (
	"context"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/golang/glog"
)

// handler writes records to glog. A handler never changes: WithAttrs and
// WithGroup return copies, so that a child's fields stay its own.
type handler struct {
	sink *Sink
	// fields are the bound attributes, written out already.
	fields []byte
	// group is the prefix of further keys, "media.decode.".
	group string
}

// verbosityOf is the -v that a level below Info needs: Debug 4, two levels finer
// one more.
func verbosityOf(level slog.Level) glog.Level {
	return glog.Level(4 + (slog.LevelDebug-level)/2)
}

// Enabled answers from -v alone where it can; with -vmodule the file decides,
// which is known only in Handle.
func (h *handler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.sink.perFile ||
		glog.Level(h.sink.verbosity.Load()) >= verbosityOf(level)
}

// WithAttrs binds attributes.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	child := *h
	child.fields = slices.Clip(h.fields)
	for _, a := range attrs {
		child.fields = appendAttr(child.fields, h.group, a, 0)
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

// lines are buffers for lines that are being put together; long ones are not kept.
var lines = sync.Pool{New: func() any { return new([]byte) }}

// maxKept is the longest buffer that is kept, in bytes.
const maxKept = 4 << 10

// Handle writes the record as one line, with the position of the call that made
// it.
func (h *handler) Handle(_ context.Context, r slog.Record) error {
	// A record without a position does not want one: finding it costs more than
	// the line, and lines of single requests come in thousands.
	depth, found := 0, true
	if r.PC != 0 {
		depth, found = depthOf(r.PC)
	}
	verbose := glog.Verbose(true)
	if r.Level < slog.LevelInfo {
		if verbose = glog.VDepth(depth, verbosityOf(r.Level)); !verbose {
			return nil
		}
	}
	buffer := lines.Get().(*[]byte)
	line := (*buffer)[:0]
	line = appendMessage(line, r.Message)
	line = append(line, h.fields...)
	r.Attrs(func(a slog.Attr) bool {
		line = appendAttr(line, h.group, a, 0)
		return true
	})
	if !found {
		line = append(line, " source="...)
		line = appendValue(line, position(r.PC))
	}
	text := string(line)
	if *buffer = line; cap(line) <= maxKept {
		lines.Put(buffer)
	}
	switch {
	case r.Level >= slog.LevelError:
		glog.ErrorDepth(depth, text)
	case r.Level >= slog.LevelWarn:
		glog.WarningDepth(depth, text)
	case r.Level >= slog.LevelInfo:
		glog.InfoDepth(depth, text)
	default:
		verbose.InfoDepth(depth, text)
	}
	return nil
}

// maxDepth is how far up the record's origin is looked for.
const maxDepth = 24

// depthOf returns how many calls above Handle the record was made. Looking for
// the record's own position instead of counting slog's frames survives wrappers
// and releases of slog. A record handed over from elsewhere is not found; then
// the depth is 0.
func depthOf(pc uintptr) (int, bool) {
	var pcs [maxDepth]uintptr
	// Skip runtime.Callers and depthOf: index 0 is Handle.
	n := runtime.Callers(2, pcs[:])
	if i := slices.Index(pcs[:n], pc); i >= 0 {
		return i, true
	}
	return 0, false
}

func position(pc uintptr) string {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return filepath.Base(frame.File) + ":" + strconv.Itoa(frame.Line)
}
