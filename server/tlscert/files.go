package tlscert

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"

	"github.com/tuttinode/tutti/core/fault"
)

// Names of the kept files below the data directory.
const (
	certName = "cert.pem"
	keyName  = "key.pem"
)

// ReadPair reads a certificate and its key. The fault is CertificateKeyMismatch where both
// can be read and do not belong together, and otherwise CertificateUnusable.
func ReadPair(certFile, keyFile string) (*tls.Certificate, error) {
	op := "read " + certFile + " and " + keyFile
	certPEM, err := os.ReadFile(certFile)
	if err != nil {
		return nil, fault.Wrap(fault.CertificateUnusable, op, err)
	}
	keyPEM, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, fault.Wrap(fault.CertificateUnusable, op, err)
	}
	cert, err := tls.X509KeyPair(certPEM, keyPEM)
	switch {
	case err != nil && keyMismatch(certPEM, keyPEM):
		return nil, fault.Wrap(fault.CertificateKeyMismatch, op, err)
	case err != nil:
		return nil, fault.Wrap(fault.CertificateUnusable, op, err)
	}
	return &cert, nil
}

// keyMismatch reports whether a certificate and a key are valid, but do not belong together.
func keyMismatch(certPEM, keyPEM []byte) bool {
	block, _ := pem.Decode(certPEM)
	if block == nil || block.Type != "CERTIFICATE" {
		return false
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return false
	}
	key, ok := parseKey(keyPEM).(crypto.Signer)
	if !ok {
		return false
	}
	public, ok := key.Public().(interface{ Equal(crypto.PublicKey) bool })
	return ok && !public.Equal(cert.PublicKey)
}

// parseKey returns the first private key of a PEM text in one of the usual formats, nil for none.
func parseKey(text []byte) any {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			return key
		}
		if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
			return key
		}
		if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
			return key
		}
	}
	return nil
}

// readKey returns the private key in a file, nil for none.
func readKey(name string) any {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil
	}
	return key
}
