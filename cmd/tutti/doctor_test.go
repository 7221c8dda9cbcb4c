package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/doctor"
)

// anyPort is one that nobody has at this moment.
func anyPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// doctored runs the command and reads its JSON.
func doctored(t *testing.T, args ...string) (map[string]map[string]any, int, string) {
	t.Helper()
	var out, errs bytes.Buffer
	status := run(t.Context(), append([]string{"doctor", "-json"}, args...), &out, &errs)
	var report struct {
		Schema  int              `json:"schema"`
		Results []map[string]any `json:"results"`
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || report.Schema != doctor.Schema {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	byName := map[string]map[string]any{}
	for _, r := range report.Results {
		byName[r["name"].(string)] = r
	}
	return byName, status, out.String() + errs.String()
}

func TestDoctorBeforeTheFirstStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	secret := "geheim-Ge-HEIM"
	args := []string{
		"-orchestrator", "-transcoder", "-network", "arbitrum-one-mainnet", "-dataDir", dir, "-pricePerUnit",
		"50000000000000000",
		"-ethUrl", "http://127.0.0.1:" + anyPort(t) + "/v3/" + secret, "-ethPassword", secret, "-orchSecret", secret,
		"-serviceAddr", "127.0.0.1:" + anyPort(t), "-cliAddr", "127.0.0.1:" + anyPort(t),
	}
	began := time.Now()
	got, status, text := doctored(t, append([]string{"-ignore", "host.command"}, args...)...)
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("took %s", took)
	}
	if status != 2 {
		t.Errorf("status %d", status)
	}
	for name, want := range map[string][2]string{
		"chain.endpoints": {"fail", "ChainUnavailable"}, "price.unit": {"fail", "PriceImplausible"},
		"keys.account":      {"warn", "AccountMissing"},
		"secrets.arguments": {"warn", "SecretInArguments"}, "network.ports": {"pass", ""}, "storage.directory": {"pass", ""},
		"registration.active": {"skip", ""}, "ai.models": {"skip", ""}, "network.reach": {"pass", ""},
	} {
		if r := got[name]; r["status"] != want[0] || r["code"] != want[1] {
			t.Errorf("%s: %v, want %v", name, r, want)
		}
	}
	if got["host.command"]["ignored"] != true {
		t.Errorf("%v", got["host.command"])
	}
	if strings.Contains(text, secret) {
		t.Errorf("a secret is shown:\n%s", text)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Error("the data directory was made although nobody asked")
	}
}

func TestDoctorMends(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	args := []string{"-only", "storage.directory,storage.mode,secrets.token", "-gateway", "-dataDir", dir, "-cliAddr",
		"127.0.0.1:" + anyPort(t)}
	doctored(t, append(args, "-fix")...)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("the data directory was not made: %v", err)
	}
	token := filepath.Join(dir, "admin.token")
	if err := os.WriteFile(token, []byte("t"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, status, _ := doctored(t, args...); status != 2 {
		t.Errorf("status %d before", status)
	}
	got, status, _ := doctored(t, append(args, "-fix")...)
	if status != 0 || got["storage.mode"]["repaired"] == "" || got["secrets.token"]["repaired"] == "" {
		t.Errorf("status %d: %v", status, got)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, token: 0o600} {
		if info, _ := os.Stat(path); info.Mode().Perm() != want {
			t.Errorf("%s has %s", path, info.Mode())
		}
	}
}

func TestDoctorsOwnFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"-list"}, 0, "chain.endpoints"},
		{[]string{"-list", "-only", "gpu"}, 0, "gpu.driver"},
		{[]string{"-only", "nonsense"}, 3, `there is no check or group "nonsense"`},
		{[]string{"-json=perhaps"}, 3, "usage: tutti doctor"},
		{[]string{"-only"}, 3, "usage: tutti doctor"},
		{[]string{"-h"}, 0, "usage: tutti doctor"},
		{[]string{"-only", "host.config", "-nonsense"}, 2, "UnknownOption"},
		{[]string{"-orchestrator", "-transcoder", "--only=host.config"}, 0, "1 pass"},
		{[]string{"-only", "host.config", "-orchestrator", "-transcoder", "-all"}, 0, "host.config"},
	} {
		var out, errs bytes.Buffer
		if got := run(t.Context(), append([]string{"doctor"}, tt.args...), &out, &errs); got != tt.status ||
			!strings.Contains(out.String()+errs.String(), tt.says) {
			t.Errorf("%q: %d, want %d\n%s%s", tt.args, got, tt.status, out.String(), errs.String())
		}
	}
}

// A silent admin port, endpoint and orchestrator cost their own checks and no more time
// than there is.
func TestDoctorEndsWhateverHangs(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	at := l.Addr().String()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	var out, errs bytes.Buffer
	began := time.Now()
	status := run(ctx, []string{
		"doctor", "-gateway", "-orchestrator", "-transcoder", "-network", "arbitrum-one-mainnet", "-pricePerUnit", "1",
		"-ethUrl", "http://" + at,
		"-dataDir", t.TempDir(), "-cliAddr", at, "-orchAddr", at, "-serviceAddr", "127.0.0.1:" + anyPort(t), "-httpAddr",
		"127.0.0.1:" + anyPort(t),
	}, &out, &errs)
	if took := time.Since(began); took > 15*time.Second || status != 2 {
		t.Errorf("status %d after %s\n%s", status, took, errs.String())
	}
	for _, line := range []string{"fail  chain.endpoints           ChainUnavailable", "warn  host.node",
		"pass  host.memory"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no line %q in\n%s", line, out.String())
		}
	}
}
