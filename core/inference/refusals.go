package inference

import (
	"bytes"
	"io"
	"maps"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// firstDoubt is how long after a refusal others are asked first, maxDoubt at most; it
	// doubles with each further one.
	firstDoubt = time.Second
	maxDoubt   = time.Minute
)

// Refusals counts, by operation, the requests that a peer refused since it last did one,
// without those that another peer refused as well. Clients can bring such refusals about
// where peers differ, so they decide who is asked first and nothing else. The zero value is
// a peer that refused none; it is not safe for concurrent use.
type Refusals struct {
	by map[Operation]refusals
}

type refusals struct {
	count int
	until time.Time
}

// doubt is how long others are asked first.
func (r refusals) doubt() time.Duration {
	return min(maxDoubt, firstDoubt<<min(max(r.count-1, 0), 10))
}

// Any reports whether there are any, of any operation.
func (r *Refusals) Any() bool { return len(r.by) > 0 }

// Count is how many there are of an operation.
func (r *Refusals) Count(op Operation) int { return r.by[op].count }

// Doubted reports whether others are asked first for an operation.
func (r *Refusals) Doubted(now time.Time, op Operation) bool { return now.Before(r.by[op].until) }

// Refused notes a refusal.
func (r *Refusals) Refused(now time.Time, op Operation) {
	x := r.by[op]
	x.count++
	x.until = now.Add(x.doubt())
	if r.by == nil {
		r.by = make(map[Operation]refusals)
	}
	r.by[op] = x
}

// Confirmed takes one refusal back: another peer refused the request as well.
func (r *Refusals) Confirmed(op Operation) {
	x, there := r.by[op]
	if x.count--; !there || x.count <= 0 {
		delete(r.by, op)
		return
	}
	r.by[op] = x
}

// Asked has one job at a time find out whether an operation is still refused: for the time
// of this one, others are asked first.
func (r *Refusals) Asked(now time.Time, op Operation) {
	if x, there := r.by[op]; there {
		x.until = now.Add(x.doubt())
		r.by[op] = x
	}
}

// Did notes that a job of an operation was done.
func (r *Refusals) Did(op Operation) { delete(r.by, op) }

// Clone is a copy.
func (r *Refusals) Clone() Refusals { return Refusals{maps.Clone(r.by)} }

// firstRefusal is the lowest status of a refusal: see Reply.
const firstRefusal = 400

// IsRefusal reports whether an outcome says that the request is wrong, or asks for what its
// runner cannot do.
func IsRefusal(reply *Reply, err error) bool {
	if err != nil {
		return fault.ClassOf(err) == fault.BadRequest
	}
	return reply.Status >= firstRefusal
}

// maxRefusal bounds what is kept of a refusal, in bytes.
const maxRefusal = 64 << 10

// Keep reads what a refusal says and ends its exchange, so that another runner can be asked
// meanwhile.
func (r *Reply) Keep() error {
	b, err := io.ReadAll(io.LimitReader(r.Body, maxRefusal))
	_ = r.Body.Close()
	r.Body, r.Length = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	return err
}
