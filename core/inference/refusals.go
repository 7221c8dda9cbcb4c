package inference

import (
	"bytes"
	"io"
	"maps"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// firstBackoff is how long after a refusal others are asked first, maxBackoff at most; it
	// doubles with each further one.
	firstBackoff = time.Second
	maxBackoff   = time.Minute
)

// Refusals counts, by operation, the requests that a peer refused since it last served one, without
// those that another peer refused as well. Clients can cause such refusals where peers differ, so
// they only decide which peer gets the request first. The zero value is a peer without refusals; it is not
// safe for concurrent use.
type Refusals struct {
	by map[Operation]refusals
}

type refusals struct {
	count int
	until time.Time
}

// backoff returns how long others are asked first.
func (r refusals) backoff() time.Duration {
	return min(maxBackoff, firstBackoff<<min(max(r.count-1, 0), 10))
}

// Any reports whether there are refusals of any operation.
func (r *Refusals) Any() bool { return len(r.by) > 0 }

// Count returns the number of refusals of an operation.
func (r *Refusals) Count(op Operation) int { return r.by[op].count }

// AskOthersFirst reports whether others are asked first for an operation.
func (r *Refusals) AskOthersFirst(now time.Time, op Operation) bool {
	return now.Before(r.by[op].until)
}

// Refused records a refusal.
func (r *Refusals) Refused(now time.Time, op Operation) {
	x := r.by[op]
	x.count++
	x.until = now.Add(x.backoff())
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

// Retried is called when a job is sent to a peer with refusals: others are asked first for the time
// of this one, so that one job at a time tests the operation.
func (r *Refusals) Retried(now time.Time, op Operation) {
	if x, there := r.by[op]; there {
		x.until = now.Add(x.backoff())
		r.by[op] = x
	}
}

// Served records that a job of an operation was done.
func (r *Refusals) Served(op Operation) { delete(r.by, op) }

// Clone returns a copy.
func (r *Refusals) Clone() Refusals { return Refusals{maps.Clone(r.by)} }

// firstRefusal is the lowest status of a refusal: see Reply.
const firstRefusal = 400

// IsRefusal reports whether an outcome says that the request is wrong, or asks for what its runner
// cannot do.
func IsRefusal(reply *Reply, err error) bool {
	if err != nil {
		return fault.ClassOf(err) == fault.BadRequest
	}
	return reply.Status >= firstRefusal
}

// maxRefusal bounds the kept text of a refusal, in bytes.
const maxRefusal = 64 << 10

// ReadRefusal reads the refusal into memory and closes its connection, so that another runner can
// be asked meanwhile.
func (r *Reply) ReadRefusal() error {
	b, err := io.ReadAll(io.LimitReader(r.Body, maxRefusal))
	_ = r.Body.Close()
	r.Body, r.Length = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	return err
}
