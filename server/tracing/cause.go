package tracing

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
)

const (
	causeFull        = "the queue is full: the collector takes spans too slowly, or cannot be reached"
	causeSlow        = "the collector does not answer in time"
	causeCertificate = "the collector's certificate is not valid"
	causeUnreachable = "the collector cannot be reached"
	causeRefused     = "the collector refuses spans, or answers with an error"
)

// causeOf is why a batch was not taken. What the collector wrote is left out: it may be anything.
func causeOf(err error) string {
	if _, wrong := errors.AsType[*tls.CertificateVerificationError](err); wrong {
		return causeCertificate
	}
	if timeout, ok := errors.AsType[net.Error](err); errors.Is(err, context.DeadlineExceeded) || ok && timeout.Timeout() {
		return causeSlow
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return causeUnreachable
	}
	return causeRefused
}
