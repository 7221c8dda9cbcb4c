package orchestrator

import "sync/atomic"

// budget is a number of bytes that many requests share. Nobody waits for it:
// what does not fit is refused, and its gateway goes elsewhere.
type budget struct {
	max  int64
	used atomic.Int64
}

// take reports whether n more bytes fit, and books them if they do.
func (b *budget) take(n int64) bool {
	if b.used.Add(n) <= b.max {
		return true
	}
	b.used.Add(-n)
	return false
}

// give returns n bytes.
func (b *budget) give(n int64) { b.used.Add(-n) }
