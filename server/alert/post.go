package alert

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// post sends a message over HTTP.
func (s *Sender) post(ctx context.Context, m *Message) (time.Duration, error) {
	contentType, body, err := payload(s.sink.Kind, m)
	if err != nil {
		return 0, fault.Wrap(fault.Unexpected, "write alert", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.sink.Address.Reveal(), bytes.NewReader(body))
	if err != nil {
		return 0, s.undelivered("its address cannot be used") // the error has the address in it
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("User-Agent", "tutti/"+m.Version)
	if s.sink.Kind == health.NtfySink {
		ntfyHeader(req.Header, m)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return 0, s.undelivered(publicReason(err))
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	switch {
	case res.StatusCode < 300:
		return 0, nil
	case res.StatusCode < 400:
		why := fmt.Sprintf("it answered with status %d, a redirection, which is not followed", res.StatusCode)
		return 0, s.undelivered(why)
	}
	return retryAfter(res.Header, s.now()), s.undelivered(fmt.Sprintf("it answered with status %d", res.StatusCode))
}

func (s *Sender) undelivered(why string) error {
	return fault.New(fault.AlertUndelivered, "send alert", s.sink.Name+": "+why)
}

// publicReason describes a request's failure without its URL and without IP addresses.
func publicReason(err error) string {
	var (
		unknown  x509.UnknownAuthorityError
		name     x509.HostnameError
		invalid  x509.CertificateInvalidError
		verify   *tls.CertificateVerificationError
		dns      *net.DNSError
		operator *net.OpError
	)
	switch {
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid), errors.As(err, &verify):
		return "its certificate is not valid for its name"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "it did not answer in time"
	case errors.As(err, &dns):
		return "its name cannot be resolved"
	case errors.As(err, &operator):
		return "it cannot be reached (" + operator.Op + ")"
	case errors.Is(err, context.Canceled):
		return "the node stopped meanwhile"
	}
	return "the request failed"
}

// retryAfter reads a sink's Retry-After: seconds or a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if n, err := strconv.ParseFloat(text, 64); err == nil && n > 0 && n < 1e6 {
		return time.Duration(n * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
