package byoc

import (
	"bytes"
	"sync"
)

// maxWaiting bounds the bytes that wait for one reader of a stream's data.
const maxWaiting = 4 << 20

// readers are the clients that read a stream's data. One that is too slow is cut off.
type readers struct {
	most int
	// memory counts what waits for them as the client's, whose stream it is.
	memory *memory
	client caller

	mu     sync.Mutex
	all    map[*reader]struct{}
	closed bool
}

// reader is one of them.
type reader struct {
	// more has an element when there are events, or it is over.
	more chan struct{}

	mu      sync.Mutex
	waiting []byte
	// held is what the memory counts of it: what waits, and what is being written.
	held int64
	over bool
}

// join adds a reader; false at the limit, and after the stream's end.
func (d *readers) join() (*reader, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || len(d.all) >= d.most {
		return nil, false
	}
	if d.all == nil {
		d.all = make(map[*reader]struct{})
	}
	r := &reader{more: make(chan struct{}, 1)}
	d.all[r] = struct{}{}
	return r, true
}

func (d *readers) leave(r *reader) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.all, r)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over, r.waiting = true, nil
	d.releaseLocked(r)
}

// written says that what was taken of a reader is written.
func (d *readers) written(r *reader) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d.releaseLocked(r)
}

// releaseLocked makes the memory count what waits for a reader, and no more. The caller holds r.mu.
func (d *readers) releaseLocked(r *reader) {
	left := int64(len(r.waiting))
	d.memory.release(d.client, r.held-left)
	r.held = left
}

// send hands a line to all readers.
func (d *readers) send(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for r := range d.all {
		d.add(r, line)
	}
}

// close ends all readers after what waits for them.
func (d *readers) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for r := range d.all {
		r.end()
	}
}

// eventCost is what an event has besides its line.
const eventCost = len("data: \n\n")

// add appends an event with a line, in which no other event begins.
func (d *readers) add(r *reader, line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	n := len(line) + eventCost
	if len(r.waiting)+n > maxWaiting || d.memory.take(d.client, int64(n)) != nil {
		r.over = true
	} else {
		r.held += int64(n)
		r.waiting = append(r.waiting, "data: "...)
		for _, b := range line {
			if b == '\r' {
				b = ' ' // it ends lines of event streams too
			}
			r.waiting = append(r.waiting, b)
		}
		r.waiting = append(r.waiting, "\n\n"...)
	}
	r.wakeLocked()
}

func (r *reader) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.wakeLocked()
}

func (r *reader) wakeLocked() {
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// take returns what waits, and whether that is all.
func (r *reader) take() (events []byte, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	events, r.waiting = r.waiting, nil
	return events, r.over
}
