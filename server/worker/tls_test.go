package worker_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/worker"
)

// files writes a certificate and its key.
func files(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "rig7"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	write(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}))
	return cert, key
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLoadTLS(t *testing.T) {
	t.Parallel()
	cert, key := files(t)
	other, _ := files(t)
	junk := filepath.Join(t.TempDir(), "junk.pem")
	write(t, junk, []byte("nothing"))
	for _, row := range []struct{ name, ca, cert, key string }{
		{"no file", "/nonexistent", "", ""},
		{"no certificate in it", junk, "", ""},
		{"key of another", "", other, key},
		{"certificate without key", "", cert, ""},
	} {
		if _, err := worker.LoadTLS(row.ca, row.cert, row.key); fault.CodeOf(err) != fault.WorkerTLSFiles {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	got, err := worker.LoadTLS(cert, cert, key)
	if err != nil || len(got.Trusted) != 1 || got.Own == nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// An orchestrator whose own certificate is trusted is good by any name; one with
// another certificate is not.
func TestTrust(t *testing.T) {
	t.Parallel()
	b, other := newFakeOrchestrator(t, "").start(), newFakeOrchestrator(t, "")
	trust := func(of *fakeOrchestrator) func(*worker.Options) {
		return func(o *worker.Options) {
			leaf, err := of.cert.Config().GetCertificate(nil)
			if err != nil {
				t.Fatal(err)
			}
			o.TLS.Trusted = []*x509.Certificate{leaf.Leaf}
		}
	}
	distrusting := startWorker(t, trust(other), b.addr)
	until(t, "it was not told", func() bool { return distrusting.has(fault.WorkerNotRegistered) })
	if b.attempts() != 0 {
		t.Error("it showed its secret to one that it does not trust")
	}
	startWorker(t, trust(b), b.addr)
	b.nextRegistration()
}

// A worker shows its certificate, for its registration and for its results.
func TestShowsItsCertificate(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "tutti/0.0.1")
	b.asks = true
	b.start()
	bare := startWorker(t, nil, b.addr)
	until(t, "it was let in", func() bool { return bare.has(fault.WorkerNotRegistered) })
	cert, key := files(t)
	got, err := worker.LoadTLS("", cert, key)
	if err != nil {
		t.Fatal(err)
	}
	c := startWorker(t, func(o *worker.Options) { o.TLS = got }, b.addr)
	n := b.nextRegistration().sendTask(t, c, 1)
	n.answer <- "done"
	until(t, "not shown twice", func() bool { return b.shown.Load() >= 2 })
}
