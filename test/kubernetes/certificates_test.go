package kubernetes

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority signs the certificates of one API server and of its clients. Its files are in
// a directory.
type authority struct {
	*testing.T
	dir  string
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{T: t, dir: t.TempDir(), key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "cluster"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.write("ca.crt", "CERTIFICATE", der)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// file is the path of one of its files.
func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

func (a *authority) write(name, kind string, der []byte) {
	a.Helper()
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(a.file(name), text, 0o600); err != nil {
		a.Fatal(err)
	}
}

// writeKey makes a key of its own in NAME.key.
func (a *authority) writeKey(name string) *ecdsa.PrivateKey {
	a.Helper()
	key := newKey(a.T)
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.Fatal(err)
	}
	a.write(name+".key", "EC PRIVATE KEY", der)
	return key
}

// issue makes NAME.crt and NAME.key for a user and its groups; both a client and a server of
// the loopback interface may use them.
func (a *authority) issue(name, user string, groups ...string) {
	a.Helper()
	key := a.writeKey(name)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		a.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: user, Organization: groups},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.Fatal(err)
	}
	a.write(name+".crt", "CERTIFICATE", der)
}

// client is what the user of NAME.crt connects with.
func (a *authority) client(name string) *tls.Config {
	a.Helper()
	pair, err := tls.LoadX509KeyPair(a.file(name+".crt"), a.file(name+".key"))
	if err != nil {
		a.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(a.cert)
	return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: trusted}
}
