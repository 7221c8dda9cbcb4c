package pictures_test

import (
	"encoding/pem"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// The certificate of httptest's servers, for example.com and names in it, is one that
// the system trusts, as those of the web are.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "pictures")
	if err != nil {
		log.Panic(err)
	}
	s := httptest.NewTLSServer(nil)
	file := filepath.Join(dir, "roots.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	s.Close()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		log.Panic(err)
	}
	if err := os.Setenv("SSL_CERT_FILE", file); err != nil {
		log.Panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}
