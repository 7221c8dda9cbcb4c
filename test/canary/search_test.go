package canary

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/harness"
)

// lookAll looks through everything that a running node gives away: its output, its
// children, its admin API, further addresses, and the debug bundle made with the same
// options.
func lookAll(t *testing.T, m *marks, p *harness.Process, admin string, env, args []string, more ...string) {
	t.Helper()
	for _, path := range paths(t, admin) {
		if status, body := harness.Get(t, "http://"+admin+path); status != 404 && len(body) > 0 {
			m.check("GET "+path, string(body))
		}
	}
	for _, url := range more {
		_, body := harness.Get(t, url)
		m.check("GET "+url, string(body))
	}
	for pid, cmdline := range children(t, p.PID()) {
		m.check("command line of child "+strconv.Itoa(pid), cmdline)
	}
	m.check("config check", output(t, env, append([]string{"config", "check"}, args...)...))
	file := filepath.Join(t.TempDir(), "b.tar.gz")
	m.check("bundle's output", output(t, env, append([]string{"doctor", "bundle", "-o", file}, args...)...))
	for name, content := range unpack(t, file) {
		m.check("bundle: "+name, content)
	}
	m.check("log", p.Log())
}

// paths are what can be read of the admin API, as it says itself, and its pages.
func paths(t *testing.T, admin string) []string {
	t.Helper()
	_, body := harness.Get(t, "http://"+admin+adminapi.PathOpenAPI)
	var doc struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(body, &doc); err != nil || len(doc.Paths) < 20 {
		t.Fatalf("%v: %.200s", err, body)
	}
	out := []string{"/", "/status", "/metrics", "/healthz", "/-/healthy", "/-/ready", "/nothing-here",
		"/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=2", adminapi.PathLog + "?lines=500"}
	for path, methods := range doc.Paths {
		if _, get := methods["get"]; get && !strings.Contains(path, "{") && path != adminapi.PathEvents {
			out = append(out, path)
		}
	}
	return out
}

// children are the command lines of a process's descendants.
func children(t *testing.T, parent int) map[int]string {
	t.Helper()
	out := map[int]string{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			out[pid] = strings.ReplaceAll(string(cmdline), "\x00", " ")
		}
	}
	return out
}

func unpack(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the bundle's mode is %v, %v", info.Mode(), err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(h.Name)] = string(b)
	}
	if len(out) < 8 || out["README.txt"] == "" || out["log.txt"] == "" {
		t.Errorf("the bundle has %d files", len(out))
	}
	return out
}

// output runs the binary to its end with environment variables of its own.
func output(t *testing.T, env []string, args ...string) string {
	t.Helper()
	p := harness.StartIn(t, binary, env, args...)
	p.Exit(exitTime)
	return p.Log()
}
