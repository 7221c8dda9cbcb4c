package backend_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// certificate is one for 127.0.0.1 that signs itself, valid until then.
func certificate(t *testing.T, until time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: until.Add(-48 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// secured is a model server behind TLS.
func secured(t *testing.T, c tls.Certificate) string {
	t.Helper()
	s := httptest.NewUnstartedServer(newFake(t, vllmPages()))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{c}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}

// mute is a server of TLS that closes connections which do not begin with a handshake, without a word.
func mute(t *testing.T, c tls.Certificate) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			first := make([]byte, 1)
			if _, err := conn.Read(first); err == nil && first[0] == 0x16 {
				again := &begun{Conn: conn, first: first}
				_ = tls.Server(again, &tls.Config{Certificates: []tls.Certificate{c}}).Handshake()
			}
			_ = conn.Close()
		}
	}()
	return l.Addr().String()
}

// begun is a connection whose first byte was read.
type begun struct {
	net.Conn
	first []byte
}

func (b *begun) Read(p []byte) (int, error) {
	if len(b.first) > 0 && len(p) > 0 {
		n := copy(p, b.first)
		b.first = b.first[n:]
		return n, nil
	}
	return b.Conn.Read(p)
}

// TestTLSFaults: each way in which TLS fails has the code that says TLS, and a text that says why.
func TestTLSFaults(t *testing.T) {
	t.Parallel()
	good, old := certificate(t, time.Now().Add(24*time.Hour)), certificate(t, time.Now().Add(-24*time.Hour))
	roots := x509.NewCertPool()
	roots.AddCert(good.Leaf)
	roots.AddCert(old.Leaf)
	trusted := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(trusted.CloseIdleConnections)
	secure, plain := secured(t, good), newFake(t, vllmPages()).url
	for _, tt := range []struct {
		name, url string
		transport http.RoundTripper
		want      string // "" for a probe that succeeds
	}{
		{"trusted", secure, trusted, ""},
		{"unknown authority", secure, nil, "signed by an unknown authority"},
		{"expired", secured(t, old), trusted, "is valid from "},
		{"another host", strings.Replace(secure, "127.0.0.1", "localhost", 1), trusted, "for another host name"},
		{"TLS to a plain port", strings.Replace(plain, "http://", "https://", 1), trusted, "must begin with http://"},
		{"plain HTTP to a port of TLS", strings.Replace(secure, "https://", "http://", 1), nil, "must begin with https://"},
		{"plain HTTP to a mute port of TLS", "http://" + mute(t, good), nil, "must begin with https://"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := options(tt.url)
			o.Transport = tt.transport
			_, err := newServer(t, o).Probe(within(t))
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if _, text := fault.Public(err); !errors.Is(err, fault.RunnerTLS) || !strings.Contains(text, tt.want) {
				t.Errorf("%v: %q", err, text)
			}
		})
	}
}
