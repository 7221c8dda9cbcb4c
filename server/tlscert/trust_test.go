package tlscert_test

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/tlscert"
)

// trusting is the trust in a file that has the certificate of a source.
func trusting(t *testing.T, s *tlscert.Source) tlscert.Trust {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pin.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw(s)}),
		0o600); err != nil {
		t.Fatal(err)
	}
	trust, err := tlscert.ReadTrust(path)
	if err != nil {
		t.Fatal(err)
	}
	return trust
}

// A peer that pinned a node's own certificate accepts the one that the node makes for
// another name, or when the first expires, and no other node's.
func TestAPinSurvivesRenewal(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"kept": t.TempDir(), "in memory": ""} {
		c := &clock{time.Now()}
		s := open(t, options(dir, "node.example", c))
		first := raw(s)
		trust := trusting(t, s)
		shown := func(s *tlscert.Source) []*x509.Certificate { return []*x509.Certificate{s.Certificate().Leaf} }
		if err := trust.Verify("192.0.2.1:8935", c.now, shown(s)); err != nil {
			t.Errorf("%s: the pinned certificate: %v", name, err)
		}
		if err := trust.Verify("node.example:8935", c.now, shown(open(t, options("", "node.example", c)))); err == nil {
			t.Errorf("%s: another node's certificate of the same name is accepted", name)
		}
		if err := trust.Verify("node.example:8935", c.now.Add(10*365*24*time.Hour), shown(s)); err == nil {
			t.Errorf("%s: an expired certificate is accepted", name)
		}
		c.now = c.now.Add(8765 * time.Hour)
		if string(first) == string(raw(s)) {
			t.Fatalf("%s: it was not renewed", name)
		}
		if err := trust.Verify("node.example:8935", c.now, shown(s)); err != nil {
			t.Errorf("%s: the renewed certificate: %v", name, err)
		}
		if dir == "" {
			continue
		}
		if err := trust.Verify("other.example:8935", c.now,
			shown(open(t, options(dir, "other.example", c)))); err != nil {
			t.Errorf("%s: a certificate for another name: %v", name, err)
		}
	}
}

// What an authority signed has to name the host.
func TestTrustInAnAuthority(t *testing.T) {
	t.Parallel()
	var any tlscert.Trust
	s := open(t, options("", "node.example", &clock{time.Now()}))
	if err := any.Verify("elsewhere:1", time.Now(), []*x509.Certificate{s.Certificate().Leaf}); err != nil {
		t.Errorf("without trust every certificate is good: %v", err)
	}
	if err := trusting(t, s).Verify("node.example:1", time.Now(), nil); err == nil {
		t.Error("no certificate is accepted")
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{empty, empty + "?"} {
		if _, err := tlscert.ReadTrust(path); err == nil {
			t.Errorf("%s is read", path)
		}
	}
}
