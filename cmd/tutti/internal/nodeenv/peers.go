package nodeenv

import (
	"crypto/x509"
	"os"
	"strings"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/tlscert"
)

// Secrets returns the secrets of -orchSecret, one per line.
func Secrets(cfg *config.Config) (out []core.Secret) {
	for line := range strings.Lines(cfg.Addresses.OrchSecret.Reveal()) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, core.NewSecret(line))
		}
	}
	return out
}

// Authorities are addresses as they are dialed, host:port.
func Authorities(list []config.HostPort) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.Authority())
	}
	return out
}

// WorkerCA reads the certificates of -workerCA; nil for no file.
func WorkerCA(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Wrap(fault.WorkerTLSFiles, "read -workerCA", err)
	}
	ca := x509.NewCertPool()
	if !ca.AppendCertsFromPEM(text) {
		return nil, fault.New(fault.WorkerTLSFiles, "read -workerCA", path+" holds no certificate in PEM form")
	}
	return ca, nil
}

// RedeemerTrust returns the certificates of -redeemerCA; nil for no file.
func RedeemerTrust(cfg *config.Config) (tlscert.Trust, error) {
	path := cfg.TLS.RedeemerCA
	if path == "" {
		return nil, nil
	}
	trust, err := tlscert.ReadTrust(path)
	if err != nil {
		return nil, fault.Wrap(fault.RedeemerCAUnusable, "read -redeemerCA "+path, err)
	}
	return trust, nil
}
