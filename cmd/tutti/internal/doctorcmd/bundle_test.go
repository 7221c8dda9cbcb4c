package doctorcmd

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
)

func TestBundleFileOfTheCommandLine(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	for _, tt := range []struct {
		args []string
		file string
		rest []string
		ok   bool
	}{
		{nil, "tutti-bundle-20010909-014640.tar.gz", nil, true},
		{[]string{"-orchestrator", "-o", "x.tar.gz", "-v", "6"}, "x.tar.gz", []string{"-orchestrator", "-v", "6"}, true},
		{[]string{"--o=x"}, "x", nil, true},
		{[]string{"-o"}, "", nil, false},
		{[]string{"-o="}, "", nil, false},
		{[]string{"-help"}, "", nil, false},
		{[]string{"o", "x"}, "tutti-bundle-20010909-014640.tar.gz", []string{"o", "x"}, true},
	} {
		file, rest, ok := bundleFile(tt.args, now)
		if file != tt.file || !slices.Equal(rest, tt.rest) || ok != tt.ok {
			t.Errorf("%q: %q %q %v", tt.args, file, rest, ok)
		}
	}
}

// What listens on the admin port may be anything when the node does not run: it is not
// given the token where reading needs none.
func TestABundleKeepsTheTokenOnLoopback(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, adminapi.TokenFile), []byte("hush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		want string
	}{
		{nil, ""},
		{[]string{"-cliAddr", "127.0.0.1:7000"}, ""},
		{[]string{"-cliAddr", "0.0.0.0:7000"}, "hush"},
		{[]string{"-cliAddr", "0.0.0.0:7000", "-adminSocket", "/run/tutti.sock"}, ""},
	} {
		cfg, _, err := config.Load(config.Input{Args: append([]string{"-orchestrator", "-transcoder", "-serviceAddr",
			"127.0.0.1:8935", "-dataDir", dir}, row.args...), Home: dir})
		if err != nil {
			t.Fatal(err)
		}
		if got := bundleNode(cfg).Token; got != row.want {
			t.Errorf("%v: the token is %q", row.args, got)
		}
	}
}
