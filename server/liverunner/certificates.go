package liverunner

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/tuttinode/tutti/core/liverunner"
)

const (
	// maxCA bounds a file of certificates, handshakeTime a TLS handshake with a runner.
	maxCA         = 1 << 20
	handshakeTime = 10 * time.Second
)

var (
	// errCA: which files the node reads is in a file of its operator, and does not come over a socket.
	errCA        = errors.New("a runner with ca can only be in the file of -liveRunnerConfig")
	errNoPEM     = errors.New("it has no certificate in PEM form")
	errNotSecure = errors.New("ca is for a runner_url or health_url that begins with https://")
)

// checkCA checks the certificates of a runner in the operator's list.
func checkCA(spec *liverunner.Spec, ofFile bool) error {
	switch {
	case spec.CA == "":
		return nil
	case !ofFile:
		return errCA
	case spec.URL.Scheme != "https" && spec.Health.Scheme != "https":
		return errNotSecure
	}
	_, err := readRoots(spec.CA)
	return err
}

// readRoots reads a file of certificates. It is read again for each connection, so that a new one holds
// at once.
func readRoots(path string) (*x509.CertPool, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxCA))
	if err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("ca: %s: %w", path, errNoPEM)
	}
	return pool, nil
}

// dialTLS makes a TLS connection to a runner, which its own certificates or the system's must have signed.
func (s *Server) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	config, err := tlsConfig(s.caOf(address), address)
	if err != nil {
		return nil, err
	}
	conn, err := s.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return handshake(ctx, conn, config)
}

// caOf returns the file of the static runner at an address, "" without one.
func (s *Server) caOf(address string) string {
	for _, r := range s.registry.Runners() {
		if r.Spec.CA != "" && (addressOf(r.Spec.URL) == address || addressOf(r.Spec.Health) == address) {
			return r.Spec.CA
		}
	}
	return ""
}

// addressOf returns host and port of an address with https, "" for another.
func addressOf(u *url.URL) string {
	switch {
	case u == nil || u.Scheme != "https":
		return ""
	case u.Port() == "":
		return net.JoinHostPort(u.Hostname(), "443")
	}
	return u.Host
}

func tlsConfig(ca, address string) (*tls.Config, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("read a runner's address: %w", err)
	}
	config := &tls.Config{ServerName: host, NextProtos: []string{"http/1.1"}}
	if ca != "" {
		config.RootCAs, err = readRoots(ca)
	}
	return config, err
}

func handshake(ctx context.Context, conn net.Conn, config *tls.Config) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}
