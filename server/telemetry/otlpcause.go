package telemetry

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
)

const (
	otlpFull        = "the queue is full: the collector takes spans too slowly, or cannot be reached"
	otlpSlow        = "the collector does not answer in time"
	otlpCertificate = "the collector's certificate is not valid"
	otlpUnreachable = "the collector cannot be reached"
	otlpRefused     = "the collector refuses spans, or answers with an error"
)

// otlpCause is why a batch was not taken. What the collector wrote is left out: it may be anything.
func otlpCause(err error) string {
	if _, wrong := errors.AsType[*tls.CertificateVerificationError](err); wrong {
		return otlpCertificate
	}
	if timeout, ok := errors.AsType[net.Error](err); errors.Is(err, context.DeadlineExceeded) || ok && timeout.Timeout() {
		return otlpSlow
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return otlpUnreachable
	}
	return otlpRefused
}
