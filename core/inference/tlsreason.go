package inference

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"time"
)

// TLSReason says why a TLS connection to a runner did not come about, without names and addresses;
// "" if err is no failure of TLS.
func TLSReason(err error) string {
	if text := certificateReason(err); text != "" {
		return text
	}
	if record, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		if string(record.RecordHeader[:]) == "HTTP/" {
			return "it speaks plain HTTP and not TLS: its address must begin with http://"
		}
		return "it does not speak TLS at this port"
	}
	if alert, ok := errors.AsType[tls.AlertError](err); ok {
		return "it refused the handshake (" + alert.Error() + ")"
	}
	return ""
}

// certificateReason says why a certificate is refused, "" if none is.
func certificateReason(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "its certificate is signed by an unknown authority"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "its certificate is for another host name"
	}
	if _, ok := errors.AsType[x509.SystemRootsError](err); ok {
		return "this machine has no root certificates"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired && invalid.Cert != nil {
			day := func(t time.Time) string { return t.UTC().Format(time.DateOnly) }
			return "its certificate is valid from " + day(invalid.Cert.NotBefore) + " to " + day(invalid.Cert.NotAfter) +
				" only"
		}
		return "its certificate is not valid for a server"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate is refused"
	}
	return ""
}

const (
	// TLSExpected is why a runner behind TLS cannot be asked by plain HTTP.
	TLSExpected = "it expects TLS, and its address must begin with https://"
	// handshakeTime bounds the look whether a runner expects TLS.
	handshakeTime = 2 * time.Second
)

// ExpectsTLS reports whether the runner at an address that begins with http:// answers a TLS handshake.
func ExpectsTLS(ctx context.Context, address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "80")
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	// Whose certificate it is does not matter: nothing is sent.
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, ServerName: u.Hostname()}}
	conn, err := d.DialContext(ctx, "tcp", host)
	if err == nil {
		_ = conn.Close()
		return true
	}
	_, refused := errors.AsType[tls.AlertError](err)
	return refused
}
