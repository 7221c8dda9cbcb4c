package logging

import (
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
)

// nowhere is the position of a record that was made without one.
const nowhere = "unknown:1"

// positions remembers where program counters are in the source. There are as many as
// calls that log, so it needs no bound.
type positions struct{ known sync.Map }

// of is "file.go:12" for the call that made a record.
func (p *positions) of(pc uintptr) string {
	if pc == 0 {
		return nowhere
	}
	if known, ok := p.known.Load(pc); ok {
		return known.(string)
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	if frame.File == "" {
		return nowhere // not kept: anything may be a program counter that is none
	}
	at := filepath.Base(frame.File) + ":" + strconv.Itoa(frame.Line)
	p.known.Store(pc, at)
	return at
}
