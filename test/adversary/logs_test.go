package adversary_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// binary is the tutti under test, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(harness.Main(harness.Node(&binary), m.Run)) }

// Log files and bundles are readable by the node's user only, also where the mask of
// new files' modes takes nothing away.
func TestNoOtherUserReadsLogs(t *testing.T) {
	t.Parallel()
	logs, bundles, addr := t.TempDir(), t.TempDir(), harness.Address(t)
	args := []string{"-orchestrator", "-transcoder", "-serviceAddr", addr, "-httpAddr", addr, "-cliAddr",
		harness.Address(t), "-dataDir", t.TempDir()}
	shell := func(more ...string) []string {
		return append([]string{"-c", `umask 0; exec "$@"`, "sh", binary}, more...)
	}
	node := harness.Start(t, "/bin/sh", shell(append(args, "-logtostderr=false", "-log_dir", logs)...)...)
	node.WaitHTTP("https://" + addr + "/healthz")
	node.Wait("a log file", 20*time.Second, func() bool { return len(files(t, logs)) > 0 })

	bundle := exec.Command("/bin/sh", shell(append([]string{"doctor", "bundle", "-o",
		filepath.Join(bundles, "bundle.tar.gz")}, args...)...)...)
	if text, err := bundle.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, dir := range []string{logs, bundles} {
		found := files(t, dir)
		if len(found) == 0 {
			t.Errorf("nothing was written to %s", dir)
		}
		for path, mode := range found {
			if mode.Perm() != 0o600 {
				t.Errorf("%s has the mode %v", strings.TrimPrefix(path, dir), mode.Perm())
			}
		}
	}
}

// files are the regular files below a directory.
func files(t *testing.T, dir string) map[string]fs.FileMode {
	t.Helper()
	out := map[string]fs.FileMode{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			out[path] = info.Mode()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
