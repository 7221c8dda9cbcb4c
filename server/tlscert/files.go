package tlscert

import (
	"crypto/tls"
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
