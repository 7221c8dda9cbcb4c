package tlscert

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"time"
)

// Trust are the authorities that may sign a peer's certificate, or certificates of peers.
// Without any, every certificate is accepted.
type Trust []*x509.Certificate

// ReadTrust reads the certificates in a PEM file; there must be one at least.
func ReadTrust(path string) (t Trust, err error) {
	rest, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		t = append(t, cert)
	}
	if len(t) == 0 {
		return nil, errors.New("no certificate is in it")
	}
	return t, nil
}

// Verify checks the certificate chain of the peer at addr; the handshake has proved that the
// peer has the key of the first one. A certificate with the key of a trusted one is accepted
// for any host name: nodes create theirs for the name that gateways use, renew it with the
// same key, and other nodes of the operator often use another name.
func (t Trust) Verify(addr string, now time.Time, chain []*x509.Certificate) error {
	switch {
	case len(t) == 0:
		return nil
	case len(chain) == 0:
		return errors.New("no certificate was shown")
	case t.pins(chain[0]):
		return current(chain[0], now)
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	opts := x509.VerifyOptions{DNSName: host, CurrentTime: now, Roots: x509.NewCertPool(),
		Intermediates: x509.NewCertPool()}
	for _, c := range t {
		opts.Roots.AddCert(c)
	}
	for _, c := range chain[1:] {
		opts.Intermediates.AddCert(c)
	}
	_, err = chain[0].Verify(opts)
	return err
}

// pins reports whether a certificate has the public key of a trusted one.
func (t Trust) pins(shown *x509.Certificate) bool {
	return slices.ContainsFunc(t, func(c *x509.Certificate) bool {
		return bytes.Equal(c.RawSubjectPublicKeyInfo, shown.RawSubjectPublicKeyInfo)
	})
}

var errOutdated = errors.New("the certificate is not valid now")

func current(c *x509.Certificate, now time.Time) error {
	if now.Before(c.NotBefore) || now.After(c.NotAfter) {
		return fmt.Errorf("%w: it is valid from %s to %s", errOutdated, c.NotBefore.UTC().Format(time.DateOnly),
			c.NotAfter.UTC().Format(time.DateOnly))
	}
	return nil
}
