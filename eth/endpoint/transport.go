package endpoint

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// transport carries requests to one endpoint.
type transport interface {
	// do sends one request, or several as one batch, and returns the answers in
	// their order; a batch that was refused as a whole has one answer, an error.
	do(ctx context.Context, reqs []request) ([]response, *failure)
	// close ends its connections and waits for its goroutines.
	close()
}

// notifier is a transport that can notify of new heads.
type notifier interface {
	// subscribe subscribes to new heads on the present connection, once per connection.
	subscribe(ctx context.Context) *failure
	// subscribed reports whether the subscription is active.
	subscribed() bool
}

// statusFailure describes an HTTP status that is not 200.
func statusFailure(a address, status int, header http.Header, body string, now time.Time) *failure {
	text := a.redactor.clean(body)
	if strings.HasPrefix(strings.TrimSpace(body), "<") {
		text = "a page of HTML"
	}
	if text != "" {
		text = ": " + text
	}
	f := fail(badStatus, a.name, "HTTP %d%s", status, text)
	f.status = status
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f.kind = denied
	case status == http.StatusTooManyRequests:
		f.kind = throttled
	case status >= 300 && status < 400:
		f.detail = "HTTP " + strconv.Itoa(status) + ": a redirection, which is not followed"
	}
	if f.kind == throttled || status == http.StatusServiceUnavailable {
		f.wait = retryAfter(header.Get("Retry-After"), now)
	}
	return f
}

// retryAfter reads seconds or a date; 0 for neither.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, min(at.Sub(now), maxRetryAfter))
	}
	return 0
}
