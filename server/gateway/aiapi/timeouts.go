package aiapi

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// timeoutHeader has the client's own time limits of a request.
const timeoutHeader = "X-Tutti-Timeout"

// maxTimeout bounds them: an answer that takes longer is ended by the gateway's own limits.
const maxTimeout = 24 * time.Hour

// timeouts are a client's time limits, counted from the request's arrival; 0 is none. They only shorten the
// gateway's own.
type timeouts struct {
	// first is until the answer begins, total until it ends.
	first, total time.Duration
}

var errTimeout = errors.New("a time such as 30s, or first=5s,total=2m, was expected, of more than 0 and 24h at most")

// parseTimeouts reads the header: "30s", seconds as a number, "first=5s" and "total=2m" with a comma between.
func parseTimeouts(text string) (t timeouts, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, value, named := strings.Cut(strings.TrimSpace(part), "=")
		if !named {
			name, value = "total", name
		}
		to := &t.total
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "first":
			to = &t.first
		case "total":
		default:
			return timeouts{}, errTimeout
		}
		if *to != 0 {
			return timeouts{}, errTimeout // it is there twice
		}
		if *to, err = parseTime(strings.TrimSpace(value)); err != nil {
			return timeouts{}, err
		}
	}
	return t, nil
}

// parseTime reads a duration, or a number of seconds.
func parseTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if seconds, numErr := strconv.ParseFloat(text, 64); numErr == nil && seconds > 0 && seconds <= maxTimeout.Seconds() {
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || d <= 0 || d > maxTimeout {
		return 0, errTimeout
	}
	return d, nil
}

// requestTimes are the running time limits of a request. The zero value has none.
type requestTimes struct {
	cancel       context.CancelCauseFunc
	first, total *time.Timer
}

// limitTime begins the client's time limits. For all that serves the request, the client leaves when one is over.
func (x *relayedRequest) limitTime() error {
	text := strings.Join(x.r.Header.Values(timeoutHeader), ",")
	if text == "" {
		return nil
	}
	t, err := parseTimeouts(text)
	if err != nil {
		return badField(strings.ToLower(timeoutHeader), err.Error())
	}
	ctx, cancel := context.WithCancelCause(x.r.Context())
	x.times.cancel = cancel
	after := func(d time.Duration, what string) *time.Timer {
		if d == 0 {
			return nil
		}
		return time.AfterFunc(d, func() {
			cancel(fault.New(fault.RequestTimedOut, "answer", fmt.Sprintf(
				"the answer did not %s within %s, as %s asks for", what, d, strings.ToLower(timeoutHeader))))
		})
	}
	x.times.first, x.times.total = after(t.first, "begin"), after(t.total, "end")
	x.r = x.r.WithContext(ctx)
	return nil
}

// begun ends the limit of the answer's beginning.
func (t *requestTimes) begun() {
	if t.first != nil {
		t.first.Stop()
	}
}

// end ends all limits.
func (t *requestTimes) end() {
	t.begun()
	if t.total != nil {
		t.total.Stop()
	}
	if t.cancel != nil {
		t.cancel(nil)
	}
}

// timedOut returns the fault of the client's time limit that is over, nil for none.
func (x *relayedRequest) timedOut() error {
	if f, ok := errors.AsType[*fault.Fault](context.Cause(x.r.Context())); ok && f.Code == fault.RequestTimedOut {
		return f
	}
	return nil
}
