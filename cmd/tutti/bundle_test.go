package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

func TestHelpOfCodes(t *testing.T) {
	t.Parallel()
	for code, want := range map[string][]string{
		"portclosed":        {"PortClosed (", "Severity: critical; alerts are sent when it lasts for 2m0s\n", "tutti doctor --only network."},
		"PublicIPUnknown":   {"Severity: info; nobody is alerted\n"},
		"AdminTokenRefused": {"Remedy: "},
	} {
		var out bytes.Buffer
		if err := explainCode(&out, code); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s: %q is not in\n%s", code, w, &out)
			}
		}
	}
	var out bytes.Buffer
	if err := explainCode(&out, "PortClsoed"); err == nil || !strings.Contains(err.Error(), "did you mean PortClosed?") || out.Len() > 0 {
		t.Errorf("%v, %s", err, &out)
	}
}

func TestAlertsAreTested(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	if status := alertCommand(t.Context(), []string{"test", "-orchestrator", "-transcoder", "-dataDir", t.TempDir()}, &stdout, &stderr); status != exitUsage || !strings.Contains(stderr.String(), "AlertNobody") {
		t.Errorf("nobody to tell: %d %s", status, &stderr)
	}
	args := []string{"test", "-orchestrator", "-transcoder", "-dataDir", t.TempDir(), "-alert", "http://127.0.0.1:1/s3cr3t"}
	if status := alertCommand(t.Context(), args, &stdout, &stderr); status != exitFailed || !strings.Contains(stdout.String(), "cannot be reached") ||
		strings.Contains(stdout.String()+stderr.String(), "s3cr3t") {
		t.Errorf("%d %s %s", status, &stdout, &stderr)
	}
}

// What listens on the admin port may be anything when the node does not run: it is not
// told the token where reading needs none.
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
		cfg, _, err := config.Load(config.Input{Args: append([]string{"-orchestrator", "-transcoder", "-serviceAddr", "127.0.0.1:8935", "-dataDir", dir}, row.args...), Home: dir})
		if err != nil {
			t.Fatal(err)
		}
		if got := bundleNode(cfg).Token; got != row.want {
			t.Errorf("%v: the token is %q", row.args, got)
		}
	}
}
