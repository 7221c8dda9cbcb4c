package tlscert

import (
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// recheck is how often the certificate is reloaded: files may have been replaced, a
// self-signed one may expire soon.
const recheck = time.Minute

// Options are the sources of a certificate.
type Options struct {
	// CertFile and KeyFile are the operator's own, both or none. They are read
	// again when they change.
	CertFile, KeyFile string
	// Dir keeps cert.pem and key.pem where the operator gives none. With Dir
	// empty the certificate lives as long as the process.
	Dir string
	// Host is the host part of the service URI: the certificate's name.
	Host string

	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
}

// Source provides the certificate. Its methods may be called concurrently.
type Source struct {
	opt Options

	// mu guards what follows, and the names of files in opt.
	mu   sync.Mutex
	cert *tls.Certificate
	next time.Time // of the next reload
}

// Open reads the certificate, or creates one if none fits. The
// error is a *fault.Fault: CertificateUnusable, CertificateKeyMismatch or DataDiskFull.
func Open(opt Options) (*Source, error) {
	if opt.Now == nil || opt.Rand == nil || opt.Log == nil {
		return nil, errors.New("open certificate: clock, randomness and log must be given")
	}
	s := &Source{opt: opt}
	cert, err := s.load()
	if err != nil {
		return nil, err
	}
	s.cert, s.next = cert, opt.Now().Add(recheck)
	return s, nil
}

// Config returns a server's TLS configuration: this certificate, TLS 1.2 and newer,
// HTTP/2 and HTTP/1.1. The caller may change it.
func (s *Source) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		// Segments and renditions are large: small first records would only cost
		// system calls.
		DynamicRecordSizingDisabled: true,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return s.Certificate(), nil
		},
	}
}

// Certificate returns the current certificate. It is reloaded once a minute; if that fails, the
// error is logged and the previous one stays in use.
func (s *Source) Certificate() *tls.Certificate {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opt.Now()
	if now.Before(s.next) {
		return s.cert
	}
	s.next = now.Add(recheck)
	cert, err := s.load()
	if err != nil {
		s.opt.Log.Warn("certificate not renewed, the previous one stays in use", fault.Attr(err))
		return s.cert
	}
	s.cert = cert
	return cert
}

func (s *Source) load() (*tls.Certificate, error) {
	switch {
	case s.opt.CertFile != "" && s.opt.KeyFile != "":
		return ReadPair(s.opt.CertFile, s.opt.KeyFile)
	case s.opt.CertFile != "" || s.opt.KeyFile != "":
		return nil, fault.New(fault.CertificateUnusable, "read certificate", "-tlsCert and -tlsKey are needed both")
	}
	return s.selfSigned()
}
