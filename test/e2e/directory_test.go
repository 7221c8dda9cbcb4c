package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// A data directory is one process's of each role, off-chain as on the chain: two would
// replace each other's certificate and database.
func TestOneProcessOfARolePerDirectory(t *testing.T) {
	t.Parallel()
	orchestrator := func() []string {
		addr := harness.Address(t)
		return []string{"-orchestrator", "-transcoder", "-serviceAddr", addr, "-httpAddr", addr, "-cliAddr",
			harness.Address(t)}
	}
	gateway := func() []string {
		return []string{"-gateway", "-orchAddr", harness.Address(t), "-httpAddr", harness.Address(t), "-cliAddr",
			harness.Address(t)}
	}
	router := func() []string {
		addr := harness.Address(t)
		return []string{"-router", "-orchAddr", harness.Address(t), "-serviceAddr", addr, "-httpAddr", addr, "-cliAddr",
			harness.Address(t)}
	}
	for name, flags := range map[string]func() []string{"orchestrator": orchestrator, "gateway": gateway,
		"router": router} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			first := flags()
			p := harness.Start(t, binary, append(first, "-dataDir", dir)...)
			p.WaitHTTP("http://" + first[len(first)-1] + "/-/healthy")
			second := harness.Start(t, binary, append(flags(), "-dataDir", dir)...)
			if status := second.Exit(20 * time.Second); status != 1 || !strings.Contains(second.Log(), "DataDirInUse") ||
				!strings.Contains(second.Log(), "held by process ") {
				t.Errorf("a second one ends with %d:\n%s", status, second.Log())
			}
			if name == "orchestrator" { // and others may share it, as on the existing node's default
				other := gateway()
				harness.Start(t, binary, append(other, "-dataDir", dir)...).WaitHTTP("http://" + other[len(other)-1] + "/-/healthy")
			}
		})
	}
}

// A full disk is named by every command and role that meets it, and not as what could not
// be written.
func TestAFullDiskIsNamed(t *testing.T) {
	t.Parallel()
	addr, admin := harness.Address(t), harness.Address(t)
	old := filepath.Join(t.TempDir(), "old", "keystore")
	if err := os.MkdirAll(old, 0o700); err != nil {
		t.Fatal(err)
	}
	const key = `{"address":"00000000000000000000000000000000000000aa","crypto":{"cipher":"aes-128-ctr"},"version":3}`
	if err := os.WriteFile(filepath.Join(old, "UTC--key"), []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	passphrase := writeFile(t, "passphrase", "four words are a start")
	for name, args := range map[string][]string{
		"orchestrator": {"-orchestrator", "-transcoder", "-serviceAddr", addr, "-httpAddr", addr, "-cliAddr", admin},
		"gateway":      {"-gateway", "-orchAddr", addr, "-httpAddr", harness.Address(t), "-cliAddr", harness.Address(t)},
		"on the chain": {"-orchestrator", "-transcoder", "-network", "devnet", "-ethPassword", passphrase, "-pricePerUnit",
			"1", "-serviceAddr", addr, "-cliAddr", admin},
		"key":  {"key", "create", "-new", "-name", "app"},
		"move": {"move", "-network", "devnet", "-moveFrom", filepath.Dir(old)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, status := onFullDisk(t, args...)
			if _, after, _ := strings.Cut(said, "  cause:  "); status != 1 || !strings.Contains(said, "DataDiskFull") ||
				!strings.Contains(after, "disk") || !strings.Contains(after, "tutti help DataDiskFull") {
				t.Errorf("status %d:\n%s", status, said)
			}
			for _, code := range []string{"CertificateUnusable", "KeyStoreFailed", "KeystoreUnusable"} {
				if strings.Contains(said, code) {
					t.Errorf("%s is named:\n%s", code, said)
				}
			}
		})
	}
}

// onFullDisk runs the program with a data directory on a disk of its own that has no
// block left.
func onFullDisk(t *testing.T, args ...string) (string, int) {
	t.Helper()
	const script = `mount -t tmpfs -o size=64k tmpfs "$1" && mkdir -m 700 "$1/data" || exit 99
head -c 1M /dev/zero >"$1/fill" 2>/dev/null
program=$2 dir=$1; shift 2
exec timeout 30 "$program" "$@" -dataDir "$dir/data"`
	alone := []string{"--mount"}
	if os.Geteuid() != 0 {
		alone = append(alone, "--map-root-user")
	}
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Fatal(err)
	}
	return harness.Output(t, "unshare",
		append(append(alone, "bash", "-c", script, "bash", t.TempDir(), binary), args...)...)
}

// A key that belongs to another certificate is named, and not as a directory that cannot
// be written.
func TestAKeyOfAnotherCertificateIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		cmd := exec.Command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
			"-days", "9",
			"-subj", "/CN="+name, "-keyout", filepath.Join(dir, name+".key"), "-out", filepath.Join(dir, name+".pem"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	addr := harness.Address(t)
	args := []string{"-orchestrator", "-transcoder", "-serviceAddr", addr, "-httpAddr", addr, "-cliAddr",
		harness.Address(t), "-dataDir", t.TempDir(),
		"-tlsCert", filepath.Join(dir, "a.pem"), "-tlsKey", filepath.Join(dir, "b.key")}
	said, status := harness.Output(t, binary, args...)
	if status != 1 || !strings.Contains(said, "CertificateKeyMismatch") ||
		!strings.Contains(said, "openssl pkey -pubout") || strings.Contains(said, "data directory") {
		t.Errorf("status %d:\n%s", status, said)
	}
	said, _ = harness.Output(t, binary, append([]string{"doctor", "-only", "network.certificate"}, args...)...)
	if !strings.Contains(said, "CertificateKeyMismatch") {
		t.Errorf("the doctor says:\n%s", said)
	}
}
