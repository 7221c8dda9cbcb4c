package byoc

import (
	"errors"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
)

// How long a body may take: a grace period, and a second for each minRate bytes.
const (
	bodyGrace = 30 * time.Second
	minRate   = 32 << 10
	// firstBuffer is allocated before a body's first byte.
	firstBuffer = 16 << 10
)

// readBody reads a client's body, which counts in the memory until release is called. The error is a fault.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, c caller) (data []byte, release func(), err error) {
	const op = "read request"
	limit := s.o.Limits.Body
	held := int64(0)
	release = func() { s.memory.release(c, held) }
	control := http.NewResponseController(w)
	// A transport without deadlines has none to set.
	_ = control.SetReadDeadline(time.Now().Add(bodyGrace + time.Duration(limit/minRate)*time.Second))
	data, err = admission.BodyReader{Limit: limit, Size: r.ContentLength, Trust: firstBuffer, Grow: func(n int64) error {
		err := s.memory.take(c, n)
		if err == nil {
			held += n
		}
		return err
	}}.Read(r.Body)
	if err == nil {
		_ = control.SetReadDeadline(time.Time{})
		return data, release, nil
	}
	release()
	switch {
	case errors.Is(err, admission.ErrBodyTooLarge):
		return nil, nil, fault.New(fault.RequestTooLarge, op, "at most "+strconv.FormatInt(limit, 10)+" bytes")
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return nil, nil, fault.New(fault.RequestSlow, op, "the body did not arrive in time")
	case fault.CodeOf(err) == fault.RequestsFull:
		return nil, nil, err
	}
	return nil, nil, fault.Wrap(fault.RequestBroken, op, err)
}
