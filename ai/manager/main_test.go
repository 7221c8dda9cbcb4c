package manager_test

import (
	"encoding/pem"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/test/engine"
)

func TestMain(m *testing.M) {
	roots := trustTestServers()
	status := engine.Main(m)
	_ = os.RemoveAll(filepath.Dir(roots))
	if status == 0 {
		if err := goleak.Find(); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			status = 1
		}
	}
	os.Exit(status)
}

// trustTestServers makes the certificate of httptest's servers, for example.com and names in it,
// one that the system trusts, as those of the web are.
func trustTestServers() (file string) {
	dir, err := os.MkdirTemp("", "images")
	if err != nil {
		log.Panic(err)
	}
	s := httptest.NewTLSServer(nil)
	file = filepath.Join(dir, "roots.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	s.Close()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		log.Panic(err)
	}
	if err := os.Setenv("SSL_CERT_FILE", file); err != nil {
		log.Panic(err)
	}
	return file
}
