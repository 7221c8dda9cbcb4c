package tlscert

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"path/filepath"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/privatefile"
)

const (
	// validity is the validity of a self-signed certificate.
	validity = 8765 * time.Hour
	// renewBefore is how long before its expiry it is replaced.
	renewBefore = 30 * 24 * time.Hour
	// backdate covers clocks that are slightly behind ours.
	backdate = time.Hour
)

// selfSigned returns the kept certificate, or a new one if that does not fit.
func (s *Source) selfSigned() (*tls.Certificate, error) {
	if s.opt.Dir == "" {
		if s.cert != nil && s.fits(s.cert) {
			return s.cert, nil
		}
		_, _, cert, err := s.create()
		return cert, err
	}
	certFile, keyFile := filepath.Join(s.opt.Dir, certName), filepath.Join(s.opt.Dir, keyName)
	if cert, err := ReadPair(certFile, keyFile); err == nil && s.fits(cert) {
		return cert, nil
	}
	certPEM, keyPEM, cert, err := s.create()
	if err != nil {
		return nil, err
	}
	// A crash between the two writes leaves a mismatched pair, which the next start
	// replaces.
	if err := privatefile.Replace(keyFile, keyPEM); err != nil {
		return nil, fault.WrapWrite(fault.CertificateUnusable, "keep the key of the certificate", err)
	}
	if err := privatefile.Replace(certFile, certPEM); err != nil {
		return nil, fault.WrapWrite(fault.CertificateUnusable, "keep the certificate", err)
	}
	s.opt.Log.Info("certificate made", "host", s.opt.Host, "until", cert.Leaf.NotAfter.UTC().Format(time.DateOnly))
	return cert, nil
}

// fits reports whether a certificate names the host and does not expire soon.
func (s *Source) fits(cert *tls.Certificate) bool {
	now := s.opt.Now()
	return cert.Leaf != nil && cert.Leaf.VerifyHostname(s.host()) == nil &&
		!now.Before(cert.Leaf.NotBefore) && now.Before(cert.Leaf.NotAfter.Add(-renewBefore))
}

// host returns the name in the certificate; a certificate needs one.
func (s *Source) host() string {
	if s.opt.Host == "" {
		return "localhost"
	}
	return s.opt.Host
}

// key returns the previous certificate's key, so that peers that pinned it accept the next
// certificate too; a new key if there is no P-256 key.
func (s *Source) key() (*ecdsa.PrivateKey, error) {
	var kept any
	switch {
	case s.opt.Dir != "":
		kept = readKey(filepath.Join(s.opt.Dir, keyName))
	case s.cert != nil:
		kept = s.cert.PrivateKey
	}
	if key, ok := kept.(*ecdsa.PrivateKey); ok && key.Curve == elliptic.P256() {
		return key, nil
	}
	return ecdsa.GenerateKey(elliptic.P256(), s.opt.Rand)
}

// create signs a certificate for the key.
func (s *Source) create() (certPEM, keyPEM []byte, cert *tls.Certificate, err error) {
	const op = "make a certificate"
	key, err := s.key()
	if err != nil {
		return nil, nil, nil, fault.Wrap(fault.CertificateUnusable, op, err)
	}
	template := s.template()
	serial := make([]byte, 16)
	if _, err := io.ReadFull(s.opt.Rand, serial); err != nil {
		return nil, nil, nil, fault.Wrap(fault.CertificateUnusable, op, err)
	}
	serial[0] &= 0x7f // positive, at most 16 bytes
	template.SerialNumber = new(big.Int).SetBytes(serial)
	der, err := x509.CreateCertificate(s.opt.Rand, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, nil, fault.Wrap(fault.CertificateUnusable, op, err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, nil, fault.Wrap(fault.CertificateUnusable, op, err)
	}
	certPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, nil, nil, fault.Wrap(fault.CertificateUnusable, op, err)
	}
	return certPEM, keyPEM, &pair, nil
}

// template returns the certificate without its key. It names the host, or its IP address if the
// service URI has one.
func (s *Source) template() *x509.Certificate {
	now := s.opt.Now()
	host := s.host()
	t := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "tutti"},
		NotBefore:             now.Add(-backdate),
		NotAfter:              now.Add(validity),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	if ip := net.ParseIP(host); ip != nil {
		t.IPAddresses = []net.IP{ip}
	} else {
		t.DNSNames = []string{host}
	}
	return t
}
