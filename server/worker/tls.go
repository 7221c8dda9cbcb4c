package worker

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"slices"

	"github.com/tuttinode/tutti/core/fault"
)

// TLS says whom the worker trusts and what it shows. The zero value is the network's
// way: any certificate will do, and none is shown.
type TLS struct {
	// Trusted are authorities, or certificates of orchestrators themselves; none
	// trusts anybody.
	Trusted []*x509.Certificate
	// Own is shown to orchestrators that ask for it.
	Own *tls.Certificate
}

// LoadTLS reads PEM files; "" leaves a part out. The fault is WorkerTLSFiles.
func LoadTLS(ca, cert, key string) (t TLS, err error) {
	const op = "read the worker's certificates"
	fail := func(what string, err error) (TLS, error) {
		return TLS{}, &fault.Fault{Code: fault.WorkerTLSFiles, Op: op, Detail: what, Err: err}
	}
	if ca != "" {
		if t.Trusted, err = readCertificates(ca); err != nil {
			return fail("-orchCA "+ca, err)
		}
	}
	if cert == "" && key == "" {
		return t, nil
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return fail("-workerCert "+cert+", -workerKey "+key, err)
	}
	t.Own = &pair
	return t, nil
}

func readCertificates(path string) (out []*x509.Certificate, err error) {
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
		out = append(out, cert)
	}
	if len(out) == 0 {
		return nil, errors.New("no certificate is in it")
	}
	return out, nil
}

// For is what a connection to one of the orchestrators at addr is made with, where
// something else than a registration goes over it; nil where nobody is distrusted.
func (t TLS) For(addr string, protocols ...string) *tls.Config {
	if len(t.Trusted) == 0 {
		return nil
	}
	return t.config(addr, protocols...)
}

// config is for connections to one orchestrator.
func (t TLS) config(addr string, protocols ...string) *tls.Config {
	c := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, // the network's rule: the secret carries the trust; see verify
		NextProtos:         protocols,
		ClientSessionCache: tls.NewLRUClientSessionCache(4),
		// Renditions are large from their first byte: small records would only cost.
		DynamicRecordSizingDisabled: true,
	}
	if t.Own != nil {
		c.Certificates = []tls.Certificate{*t.Own}
	}
	if len(t.Trusted) > 0 {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			host = addr
		}
		c.VerifyConnection = func(s tls.ConnectionState) error { return t.verify(host, s.PeerCertificates) }
	}
	return c
}

// verify checks an orchestrator's certificate. One that is trusted itself is good by
// whatever name it is called: orchestrators make their own, for the name that
// gateways know, and workers of the same house often use another.
func (t TLS) verify(host string, chain []*x509.Certificate) error {
	if len(chain) == 0 {
		return errors.New("the orchestrator showed no certificate")
	}
	opts := x509.VerifyOptions{DNSName: host, Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool()}
	for _, c := range t.Trusted {
		opts.Roots.AddCert(c)
	}
	for _, c := range chain[1:] {
		opts.Intermediates.AddCert(c)
	}
	if slices.ContainsFunc(t.Trusted, chain[0].Equal) {
		opts.DNSName = ""
	}
	_, err := chain[0].Verify(opts)
	return err
}
