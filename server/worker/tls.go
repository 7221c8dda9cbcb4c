package worker

import (
	"crypto/tls"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/tlscert"
)

// TLS says which certificates the worker trusts and what it shows. The zero value is the network's
// way: any certificate will do, and none is shown.
type TLS struct {
	// Trusted are authorities, or certificates of orchestrators themselves; where it is
	// empty, every certificate is accepted.
	Trusted tlscert.Trust
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
		if t.Trusted, err = tlscert.ReadTrust(ca); err != nil {
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

// For returns the TLS configuration of connections to an orchestrator at addr besides the one on which
// the worker registers; nil when every certificate is accepted.
func (t TLS) For(addr string, protocols ...string) *tls.Config {
	if len(t.Trusted) == 0 {
		return nil
	}
	return t.config(addr, protocols...)
}

// Channels returns the TLS configuration of connections to an orchestrator's channels.
func (t TLS) Channels(addr string) *tls.Config { return t.config(addr, "http/1.1") }

// config is for connections to one orchestrator.
func (t TLS) config(addr string, protocols ...string) *tls.Config {
	c := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, // the network's rule: the shared secret authenticates; see VerifyConnection
		NextProtos:         protocols,
		ClientSessionCache: tls.NewLRUClientSessionCache(4),
		// Renditions are large from their first byte: small records would only cost.
		DynamicRecordSizingDisabled: true,
	}
	if t.Own != nil {
		c.Certificates = []tls.Certificate{*t.Own}
	}
	if len(t.Trusted) > 0 {
		c.VerifyConnection = func(s tls.ConnectionState) error {
			return t.Trusted.Verify(addr, time.Now(),
				s.PeerCertificates)
		}
	}
	return c
}
