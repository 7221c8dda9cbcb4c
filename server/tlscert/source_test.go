package tlscert_test

import (
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/tlscert"
)

type clock struct{ now time.Time }

func options(dir, host string, c *clock) tlscert.Options {
	return tlscert.Options{
		Dir: dir, Host: host,
		Now: func() time.Time { return c.now }, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	}
}

func open(t *testing.T, opt tlscert.Options) *tlscert.Source {
	t.Helper()
	s, err := tlscert.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func raw(s *tlscert.Source) []byte { return s.Certificate().Certificate[0] }

func TestKeptAcrossRestarts(t *testing.T) {
	t.Parallel()
	dir, c := t.TempDir(), &clock{time.Now()}
	first := raw(open(t, options(dir, "node.example", c)))

	if again := raw(open(t, options(dir, "node.example", c))); !bytes.Equal(first, again) {
		t.Error("a restart made another certificate")
	}
	for _, name := range []string{"cert.pem", "key.pem"} {
		fi, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if fi.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", name, fi.Mode().Perm())
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 {
		t.Errorf("%d files left in the directory, want 2", len(files))
	}
}

func TestReplaced(t *testing.T) {
	t.Parallel()
	start := time.Now()
	for _, tc := range []struct {
		name   string
		change func(t *testing.T, dir string, opt *tlscert.Options, c *clock)
	}{
		{"another host", func(_ *testing.T, _ string, opt *tlscert.Options, _ *clock) { opt.Host = "other.example" }},
		{"a month before its end", func(_ *testing.T, _ string, _ *tlscert.Options, c *clock) {
			c.now = start.Add(8765*time.Hour - 29*24*time.Hour)
		}},
		{"damaged certificate", func(t *testing.T, dir string, _ *tlscert.Options, _ *clock) {
			if err := os.WriteFile(filepath.Join(dir, "cert.pem"), []byte("?"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"missing key", func(t *testing.T, dir string, _ *tlscert.Options, _ *clock) {
			if err := os.Remove(filepath.Join(dir, "key.pem")); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, c := t.TempDir(), &clock{start}
			opt := options(dir, "node.example", c)
			first := raw(open(t, opt))
			tc.change(t, dir, &opt, c)
			s := open(t, opt)
			if bytes.Equal(first, raw(s)) {
				t.Fatal("the old certificate is still in use")
			}
			if err := s.Certificate().Leaf.VerifyHostname(opt.Host); err != nil {
				t.Error(err)
			}
			if again := raw(open(t, opt)); !bytes.Equal(raw(s), again) {
				t.Error("the new certificate was not kept")
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{"node.example": "node.example", "203.0.113.7": "203.0.113.7",
		"2001:db8::1": "2001:db8::1", "": "localhost"} {
		leaf := open(t, options("", host, &clock{time.Now()})).Certificate().Leaf
		if err := leaf.VerifyHostname(want); err != nil {
			t.Errorf("host %q: %v", host, err)
		}
		if !leaf.IsCA || leaf.KeyUsage != x509.KeyUsageCertSign|x509.KeyUsageDigitalSignature {
			t.Errorf("host %q: CA %v, key usage %v", host, leaf.IsCA, leaf.KeyUsage)
		}
	}
}

func TestRenewedWhileRunning(t *testing.T) {
	t.Parallel()
	c := &clock{time.Now()}
	for name, dir := range map[string]string{"kept": t.TempDir(), "in memory": ""} {
		c.now = time.Now()
		s := open(t, options(dir, "node.example", c))
		first := raw(s)
		c.now = c.now.Add(24 * time.Hour)
		if !bytes.Equal(first, raw(s)) {
			t.Errorf("%s: renewed after a day", name)
		}
		c.now = c.now.Add(8765 * time.Hour)
		if bytes.Equal(first, raw(s)) {
			t.Errorf("%s: not renewed at its end", name)
		}
	}
}

func TestOperatorsFiles(t *testing.T) {
	t.Parallel()
	dir, other, c := t.TempDir(), t.TempDir(), &clock{time.Now()}
	first := raw(open(t, options(dir, "node.example", c)))
	second := raw(open(t, options(other, "node.example", c)))

	opt := options("", "unused.example", c)
	opt.CertFile, opt.KeyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	s := open(t, opt)
	if !bytes.Equal(raw(s), first) {
		t.Fatal("not the operator's certificate")
	}
	// Files that do not belong together must not replace a good certificate.
	move(t, filepath.Join(other, "key.pem"), opt.KeyFile)
	c.now = c.now.Add(2 * time.Minute)
	if !bytes.Equal(raw(s), first) {
		t.Error("a broken pair was taken")
	}
	move(t, filepath.Join(other, "cert.pem"), opt.CertFile)
	c.now = c.now.Add(2 * time.Minute)
	if !bytes.Equal(raw(s), second) {
		t.Error("replaced files were not read again")
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	c := &clock{time.Now()}
	for name, change := range map[string]func(*tlscert.Options){
		"certificate without key": func(o *tlscert.Options) { o.CertFile = "cert.pem" },
		"no such files":           func(o *tlscert.Options) { o.CertFile, o.KeyFile = "/nowhere/c", "/nowhere/k" },
		"no such directory":       func(o *tlscert.Options) { o.Dir = "/nowhere" },
		"no randomness":           func(o *tlscert.Options) { o.Rand = bytes.NewReader(nil) },
	} {
		opt := options("", "node.example", c)
		change(&opt)
		_, err := tlscert.Open(opt)
		if fault.CodeOf(err) != fault.CertificateUnusable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHandshake(t *testing.T) {
	t.Parallel()
	s := open(t, options("", "node.example", &clock{time.Now()}))
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate().Leaf)
	for _, protocol := range []string{"h2", "http/1.1"} {
		server, client := net.Pipe()
		srv := tls.Server(server, s.Config())
		served := make(chan error, 1)
		go func() { served <- srv.Handshake() }()
		cl := tls.Client(client, &tls.Config{RootCAs: roots, ServerName: "node.example", NextProtos: []string{protocol}})
		if err := cl.Handshake(); err != nil {
			t.Fatal(err)
		}
		if err := <-served; err != nil {
			t.Fatal(err)
		}
		if got := cl.ConnectionState().NegotiatedProtocol; got != protocol {
			t.Errorf("offered %q, got %q", protocol, got)
		}
		for _, c := range []io.Closer{client, server} {
			c.Close()
		}
	}
	if !slices.Equal(s.Config().NextProtos, []string{"h2", "http/1.1"}) {
		t.Error("protocols are not both offered")
	}
}
