package endpoint

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
)

// netFailure names an error of the net packages. The error's own text is never
// kept, because it repeats the URL.
func netFailure(ctx context.Context, name string, err error) *failure {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fail(canceled, name, "the request was given up")
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		return fail(timedOut, name, "no answer in time (context deadline exceeded)")
	case errors.As(err, &dns):
		return fail(nameUnknown, name, "the host name cannot be resolved (DNS)")
	case errors.Is(err, syscall.ECONNREFUSED):
		return fail(refused, name, "connection refused")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return fail(refused, name, "no route to the host")
	case tlsDetail(err) != "":
		return fail(tlsFailed, name, "no trusted connection (TLS): %s", tlsDetail(err))
	case errors.As(err, &timeout) && timeout.Timeout():
		return fail(timedOut, name, "no answer in time (i/o timeout)")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return fail(connLost, name, "the connection ended before the answer did")
	}
	return fail(connLost, name, "the connection failed")
}

// tlsDetail says what is wrong with a TLS connection, or "".
func tlsDetail(err error) string {
	var (
		expired   x509.CertificateInvalidError
		host      x509.HostnameError
		authority x509.UnknownAuthorityError
		record    tls.RecordHeaderError
		alert     tls.AlertError
	)
	switch {
	case errors.As(err, &expired):
		return "the certificate is expired or invalid; check the clock of this machine"
	case errors.As(err, &host):
		return "the certificate is for another host name"
	case errors.As(err, &authority):
		return "the certificate's authority is unknown"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "the server does not speak TLS; use http:// or ws://"
	case errors.As(err, &alert), strings.Contains(err.Error(), "tls: "):
		return "the handshake failed"
	}
	return ""
}
