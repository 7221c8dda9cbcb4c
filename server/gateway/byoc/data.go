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
	over    bool
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
		r.add(line)
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

// add appends an event with a line, in which no other event begins.
func (r *reader) add(line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	if len(r.waiting)+len(line) > maxWaiting {
		r.over = true
	} else {
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
