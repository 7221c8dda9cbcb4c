package trickle

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// serveRead sends a segment from its first byte on, as it grows, until it is closed. Headers go with the
// first byte. It waits in send with a small stack: what is long is in other functions.
func serveRead(w http.ResponseWriter, r *http.Request, c *Channel, number int64) {
	rd := openRead(w, c, number)
	if rd == nil {
		return
	}
	defer c.leave()
	sent, err := rd.send(r)
	if err != nil {
		panic(http.ErrAbortHandler) // the segment must not look complete
	}
	if !sent {
		rd.nothing()
	}
}

// openRead finds the segment of a number. Where there is none it answers, and returns nil.
func openRead(w http.ResponseWriter, c *Channel, number int64) *reader {
	s, number, next, err := c.openForReading(number)
	setNumber(w, headerNumber, number)
	switch {
	case errors.Is(err, errReaders):
		http.Error(w, "Too many readers", http.StatusServiceUnavailable)
		return nil
	case errors.Is(err, errNotKept):
		setNumber(w, headerNext, next)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(statusNotKept)
		_, _ = io.WriteString(w, textNotKept)
		return nil
	case err != nil:
		setNumber(w, headerNext, next)
		w.Header().Set(headerClosed, terminated)
		return nil
	}
	rd := &reader{w: w, rc: http.NewResponseController(w), c: c, s: s, next: next}
	_ = rd.rc.SetWriteDeadline(time.Time{})
	if number != next {
		setNumber(w, headerNext, next)
	}
	return rd
}

// nothing answers for a segment that ended without a byte.
func (rd *reader) nothing() {
	setNumber(rd.w, headerNext, rd.next)
	if _, closed := rd.c.segmentClosed(rd.s); closed {
		rd.w.Header().Set(headerClosed, terminated)
	}
}

// reader is one request that reads a segment.
type reader struct {
	w  http.ResponseWriter
	rc *http.ResponseController
	c  *Channel
	s  *segment
	at position
	// next was the next number when the request came.
	next int64
	// extended is when the time for a write was extended last.
	extended time.Time
}

// send sends the segment until its end, and reports whether there was a byte.
func (rd *reader) send(r *http.Request) (sent bool, err error) {
	for {
		if err := r.Context().Err(); err != nil {
			return sent, err
		}
		parts, grown, err := rd.c.read(rd.s, &rd.at)
		switch {
		case err != nil:
			return sent, err
		case len(parts) > 0:
			if !sent {
				rd.w.Header().Set("Content-Type", rd.c.mime)
			}
			sent = true
			if err := rd.write(parts); err != nil {
				return sent, err
			}
			continue
		case grown == nil:
			return sent, nil
		}
		select {
		case <-grown:
		case <-r.Context().Done():
			return sent, r.Context().Err()
		}
	}
}
