package tlscert

import "github.com/tuttinode/tutti/core/fault"

// Replace reads another certificate from these files; with "" for both it is the self-signed one. The
// certificate is used from the call of the returned function on; open connections keep the previous one.
// The error is a *fault.Fault CertificateUnusable or CertificateKeyMismatch.
func (s *Source) Replace(certFile, keyFile string) (func(), error) {
	next := &Source{opt: s.opt}
	next.opt.CertFile, next.opt.KeyFile = certFile, keyFile
	cert, err := next.load()
	if err != nil {
		return nil, err
	}
	if cert.Leaf != nil && s.opt.Now().After(cert.Leaf.NotAfter) {
		return nil, fault.New(fault.CertificateUnusable, "read "+certFile, "the certificate has expired")
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opt.CertFile, s.opt.KeyFile = certFile, keyFile
		s.cert, s.next = cert, s.opt.Now().Add(recheck)
	}, nil
}
