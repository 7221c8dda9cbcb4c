package tlscert

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tuttinode/tutti/core/fault"
)

// Names of the kept files below the data directory.
const (
	certName = "cert.pem"
	keyName  = "key.pem"
)

// readPair reads the operator's files.
func readPair(certFile, keyFile string) (*tls.Certificate, error) {
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fault.Wrap(fault.CertificateUnusable, "read "+certFile+" and "+keyFile, err)
	}
	return &cert, nil
}

// readKey is the private key in a file, nil where there is none.
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

// write puts data into a file that only the owner reads, whole or not at all.
func write(name string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	// CreateTemp makes files of mode 0600.
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", f.Name(), err)
	}
	return os.Rename(f.Name(), name)
}
