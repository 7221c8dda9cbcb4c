package aiapi

import (
	"errors"
	"net/http"
	"os"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/admission"
)

// How long a body may take: a grace period, and a second for each minBodyRate bytes, which even a
// slow connection achieves.
const (
	bodyGrace   = 30 * time.Second
	minBodyRate = 32 << 10
)

// initialBody is allocated before a body's first byte. It is small enough for all connections of
// the gateway together, so clients that announce bodies and send nothing exhaust no memory.
const initialBody = 16 << 10

// metered is a body that is made of another one, whose memory counts too.
type metered interface {
	Meter(grow func(n int64) error)
}

// readBody reads the request's body into memory, within all limits. Errors are the faults
// RequestTooLarge, RequestSlow, RequestBroken, RequestsFull and Canceled.
func (x *relayedRequest) readBody() ([]byte, error) {
	const op = "read request"
	limit := x.bodyLimit()
	size := x.r.ContentLength
	if size > limit {
		return nil, tooLarge(limit)
	}
	allowed := bodyGrace + time.Duration(max(size, 0)/minBodyRate)*time.Second
	if size < 0 {
		allowed = bodyGrace + time.Duration(limit/minBodyRate)*time.Second
	}
	began := time.Now()
	defer func() { x.waited += time.Since(began) }()
	if m, ok := x.r.Body.(metered); ok {
		m.Meter(x.grow)
	}
	_ = x.control.SetReadDeadline(began.Add(allowed)) // a transport without deadlines has none to set
	var b []byte
	var err error
	if x.spools(size) {
		b, err = x.readLong(limit, size)
	} else {
		b, err = admission.BodyReader{Limit: limit, Size: size, Trust: initialBody, Grow: x.grow}.Read(x.r.Body)
	}
	switch {
	case err == nil:
		// From now on the server watches the connection for a disconnect.
		_ = x.control.SetReadDeadline(time.Time{})
		return b, nil
	case errors.Is(err, admission.ErrBodyTooLarge), errors.Is(err, pipeline.ErrLongBody):
		return nil, tooLarge(limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		x.w.Header().Set("Connection", "close")
		return nil, fault.New(fault.RequestSlow, op, "the body did not arrive in time")
	case errors.As(err, new(*fault.Fault)): // RequestsFull, and what a mapped body is refused with
		return nil, err
	}
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return nil, tooLarge(tooLong.Limit)
	}
	return nil, &fault.Fault{Code: fault.RequestBroken, Op: op, Detail: "the connection ended before the body did",
		Err: err}
}

// bodyLimit returns the maximum size of the route's body, in bytes.
func (x *relayedRequest) bodyLimit() int64 {
	switch limits := &x.server.opt.Limits; {
	case x.route.upload:
		return limits.Upload
	case x.route.maxBody > 0:
		return min(x.route.maxBody, limits.Body)
	default:
		return limits.Body
	}
}

// grow takes memory from the gateway's budget.
func (x *relayedRequest) grow(n int64) error {
	err := x.server.shares.take(x.key, n, x.answerFrom == "")
	if err != nil {
		return err
	}
	if x.unverified != "" {
		err = x.server.bodies.takeUnverified(x.unverified, n)
	} else if x.answerFrom == "" {
		err = x.server.bodies.take(n)
	} else if err = x.server.bodies.takeForAnswer(x.answerFrom, n, x.answerBytes); err == nil {
		x.answerBytes += n
	}
	if err != nil {
		x.server.shares.release(x.key, n)
		return err
	}
	x.held += n
	return nil
}

// releaseAnswer ends the accounting for the orchestrator's answer. The request keeps the memory.
func (x *relayedRequest) releaseAnswer() {
	x.server.bodies.answerRead(x.answerFrom, x.answerBytes)
	x.answerFrom, x.answerBytes = "", 0
}

func tooLarge(limit int64) error {
	return fault.New(fault.RequestTooLarge, "read request", "the body is over the limit of "+inference.SizeText(limit))
}
