package aiapi

import (
	"errors"
	"net/http"
	"os"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/body"
)

// How long a body may take: a start, and a second for as many bytes as even a
// slow connection sends in one.
const (
	bodyStart = 30 * time.Second
	bodyPace  = 32 << 10
)

// bodyTrust is the memory that a request gets before its body's first byte. As
// many requests as a gateway has connections do not use up what all of them
// share, so clients that only announce bodies keep nobody out.
const bodyTrust = 16 << 10

// read reads the request's body into memory, within all limits. Errors are
// faults RequestTooLarge, RequestSlow, RequestBroken, RequestsFull, Canceled.
func (x *exchange) read() ([]byte, error) {
	const op = "read request"
	limit := x.bodyLimit()
	size := x.r.ContentLength
	if size > limit {
		return nil, tooLarge(limit)
	}
	allowed := bodyStart + time.Duration(max(size, 0)/bodyPace)*time.Second
	if size < 0 {
		allowed = bodyStart + time.Duration(limit/bodyPace)*time.Second
	}
	began := time.Now()
	defer func() { x.waited += time.Since(began) }()
	_ = x.control.SetReadDeadline(began.Add(allowed)) // a transport without deadlines has none to set
	b, err := body.Reader{Limit: limit, Size: size, Trust: bodyTrust, Grow: x.grow}.Read(x.r.Body)
	switch {
	case err == nil:
		// From here on the server watches the connection for the client's going away.
		_ = x.control.SetReadDeadline(time.Time{})
		return b, nil
	case errors.Is(err, body.ErrTooLarge):
		return nil, tooLarge(limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		x.w.Header().Set("Connection", "close")
		return nil, fault.New(fault.RequestSlow, op, "the body did not come in time")
	case fault.CodeOf(err) == fault.RequestsFull:
		return nil, err
	}
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return nil, tooLarge(tooLong.Limit)
	}
	return nil, &fault.Fault{Code: fault.RequestBroken, Op: op, Detail: "the connection ended before the body did", Err: err}
}

// bodyLimit is the most that a body of the route may have, in bytes.
func (x *exchange) bodyLimit() int64 {
	switch limits := &x.f.opt.Limits; {
	case x.route.upload:
		return limits.Upload
	case x.route.most > 0:
		return min(x.route.most, limits.Body)
	default:
		return limits.Body
	}
}

// grow takes memory for the body from the gateway's budget.
func (x *exchange) grow(n int64) error {
	var err error
	if x.stranger != "" {
		err = x.f.bodies.trust(x.stranger, n)
	} else if x.loan == "" {
		err = x.f.bodies.take(n)
	} else if err = x.f.bodies.lend(x.loan, n, x.lent); err == nil {
		x.lent += n
	}
	if err == nil {
		x.held += n
	}
	return err
}

// endLoan says that the orchestrator's answer is there, or is not waited for any more. The
// memory stays the request's.
func (x *exchange) endLoan() {
	x.f.bodies.endLoan(x.loan, x.lent)
	x.loan, x.lent = "", 0
}

func tooLarge(limit int64) error {
	return fault.New(fault.RequestTooLarge, "read request", "the body is over the limit of "+bytesText(limit))
}

// bytesText is a limit for people.
func bytesText(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return itoa(n>>20) + " MiB"
	case n >= 1<<10 && n%(1<<10) == 0:
		return itoa(n>>10) + " KiB"
	}
	return itoa(n) + " bytes"
}
