package tlscert_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	c := &clock{time.Now()}
	first, second := t.TempDir(), t.TempDir()
	s, other := open(t, options(first, "node.example", c)), open(t, options(second, "node.example", c))
	before := raw(s)
	if _, err := s.Replace(filepath.Join(second, "cert.pem"), filepath.Join(first, "key.pem")); !errors.Is(err,
		fault.CertificateKeyMismatch) {
		t.Errorf("a key of another certificate: %v", err)
	}
	apply, err := s.Replace(filepath.Join(second, "cert.pem"), filepath.Join(second, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(raw(s), before) {
		t.Error("it changed before it was told to")
	}
	apply()
	if !bytes.Equal(raw(s), raw(other)) {
		t.Error("the certificate is still the old one")
	}
	c.now = c.now.Add(20 * 365 * 24 * time.Hour)
	if _, err := s.Replace(filepath.Join(second, "cert.pem"), filepath.Join(second, "key.pem")); !errors.Is(err,
		fault.CertificateUnusable) {
		t.Errorf("a certificate that has expired: %v", err)
	}
}
