package logging_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/internal/logging"
	"github.com/tuttinode/tutti/core/fault"
)

// glog keeps its settings and its output per process, so each case runs in a
// process of its own: this test binary, which logs what the environment names.
const caseVar = "TUTTI_LOGGING_CASE"

// cases are what the child processes do.
var cases = map[string]func() error{
	"lines": logLines, "files": logFiles, "quiet": logQuiet, "vmodule": logVModule, "runtime": logRuntime,
	"full": logLost,
}

func TestMain(m *testing.M) {
	name := os.Getenv(caseVar)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := cases[name](); err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	os.Exit(0)
}

// inChild runs a case and returns the lines of its standard error.
func inChild(t *testing.T, name string, env ...string) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, caseVar+"="+name)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout.String(), stderr.String())
	}
	if stderr.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
}

// here is the position of the line that calls it.
func here() string {
	_, file, line, _ := runtime.Caller(1)
	return filepath.Base(file) + ":" + strconv.Itoa(line)
}

// wrapped logs one call further down than its caller.
func wrapped(log *slog.Logger) { log.Warn("wrapped") }

type secret string

func (secret) LogValue() slog.Value { return slog.StringValue("***") }

type fussy struct{ n *int }

func (f *fussy) String() string { return strconv.Itoa(*f.n) }

func logLines() error {
	sink, err := logging.Setup(logging.Options{Verbosity: 6})
	if err != nil {
		return err
	}
	log := sink.Logger()
	// The expected position travels in the line itself.
	log.Info("info", "at", here())
	log.Warn("warn", "at", here())
	log.Error("error", "at", here())
	log.Debug("debug", "at", here())
	log.With("session", "s1").WithGroup("g").Info("grouped", "at", here(), "k", 1)
	wrapped(log)
	child := log.With("session", "abc")
	_ = log.With("session", "other", "segment", 7)
	child.Info("child", "round", 3)
	log.Info("parent")
	log.Info("forged\nE0101 00:00:00.000000       1 x.go:1] gotcha", "err", "a\r\nb\x1b[31m\u2028", "empty", "", "q",
		`say "hi"`, "eq", "a=b")
	log.Info("long", "v", strings.Repeat("x", 5000), "after", true)
	log.Info("types", "d", 1500*time.Millisecond, "e", errors.New("boom: here"), "b", []byte{0xca, 0xfe},
		"t", time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC), "s", secret("hunter2"), "n", nil, "u",
		&url.URL{Scheme: "https", Host: "h"},
		"p", (*fussy)(nil), "f", 1.5)
	log.Warn("refused", fault.Attr(fault.New(fault.OrchestratorCapped, "admit", "1 of 1")))
	log.Log(context.Background(), logging.LevelWire, "wire")
	return nil
}

var prefix = regexp.MustCompile(`^([IWE])\d{4} \d\d:\d\d:\d\d\.\d{6} {1,7}\d+ ([a-z_]+\.go:\d+)\] (.*)$`)

func TestLines(t *testing.T) {
	t.Parallel()
	lines := inChild(t, "lines")
	want := []struct{ level, text string }{
		{"I", "info at=HERE"},
		{"W", "warn at=HERE"},
		{"E", "error at=HERE"},
		{"I", "debug at=HERE"},
		{"I", "grouped session=s1 g.at=HERE g.k=1"},
		{"W", "wrapped"},
		{"I", "child session=abc round=3"},
		{"I", "parent"},
		{"I", `forged\nE0101 00:00:00.000000       1 x.go:1] gotcha err="a\r\nb\x1b[31m\u2028" empty="" q="say \"hi\"" ` +
			`eq="a=b"`},
		{"I", "long v=" + strings.Repeat("x", 2048) + "…(2952 bytes more) after=true"},
		{"I", `types d=1.5s e="boom: here" b=cafe t=2026-01-02T03:04:05.006Z s=*** n=<nil> u=https://h ` +
			`p="(*logging_test.fussy cannot be printed)" f=1.5`},
		{"W", `refused code=OrchestratorCapped remedy="` + remedyOf(fault.OrchestratorCapped) +
			`" err="admit: OrchestratorCapped (1 of 1)"`},
		{"I", "wire"},
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), strings.Join(lines, "\n"))
	}
	for i, w := range want {
		m := prefix.FindStringSubmatch(lines[i])
		if m == nil {
			t.Errorf("line %d is not in glog's form: %q", i, lines[i])
			continue
		}
		text := strings.Replace(w.text, "HERE", m[2], 1)
		if m[1] != w.level || m[3] != text {
			t.Errorf("line %d:\n got %s %s\nwant %s %s", i, m[1], m[3], w.level, text)
		}
		if m[2] == "" || !strings.HasPrefix(m[2], "logging_test.go:") {
			t.Errorf("line %d is said to come from %s", i, m[2])
		}
	}
}

func remedyOf(c fault.Code) string { r, _ := fault.Lookup(c); return r.Remedy }

func logQuiet() error {
	sink, err := logging.Setup(logging.Options{Verbosity: 3})
	if err != nil {
		return err
	}
	sink.Logger().Debug("must not show")
	sink.Logger().Info("info shows")
	sink.Logger().Error("error shows")
	return nil
}

func TestDebugNeedsVerbosity(t *testing.T) {
	t.Parallel()
	lines := inChild(t, "quiet")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], "] info shows") || !strings.HasSuffix(lines[1], "] error shows") {
		t.Errorf("got %q", lines)
	}
}

func logRuntime() error {
	sink, err := logging.Setup(logging.Options{Verbosity: 0})
	if err != nil {
		return err
	}
	log := sink.Logger().With("session", "x")
	log.Debug("before")
	for _, bad := range []int{-1, 100} {
		if err := sink.SetVerbosity(bad); fault.CodeOf(err) != fault.BadOption {
			return fmt.Errorf("verbosity %d: %v", bad, err)
		}
	}
	if err := sink.SetVerbosity(4); err != nil {
		return err
	}
	if sink.Verbosity() != 4 {
		return fmt.Errorf("verbosity is %d", sink.Verbosity())
	}
	log.Debug("after")
	log.Log(context.Background(), logging.LevelWire, "wire needs six")
	return nil
}

func TestVerbosityAtRunTime(t *testing.T) {
	t.Parallel()
	lines := inChild(t, "runtime")
	if len(lines) != 1 || !strings.HasSuffix(lines[0], "] after session=x") {
		t.Errorf("got %q", lines)
	}
}

func logVModule() error {
	sink, err := logging.Setup(logging.Options{VModule: os.Getenv("TUTTI_LOGGING_VMODULE")})
	if err != nil {
		return err
	}
	sink.Logger().Debug("by file")
	return nil
}

func TestVModule(t *testing.T) {
	t.Parallel()
	if lines := inChild(t, "vmodule", "TUTTI_LOGGING_VMODULE=logging_test=4"); len(lines) != 1 {
		t.Errorf("own file: %q", lines)
	}
	if lines := inChild(t, "vmodule", "TUTTI_LOGGING_VMODULE=elsewhere=9"); len(lines) != 0 {
		t.Errorf("other file: %q", lines)
	}
}

func logFiles() error {
	sink, err := logging.Setup(logging.Options{Dir: os.Getenv("TUTTI_LOGGING_DIR")})
	if err != nil {
		return err
	}
	sink.Logger().Info("to the file")
	sink.Flush()
	return nil
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if lines := inChild(t, "files", "TUTTI_LOGGING_DIR="+dir); len(lines) != 0 {
		t.Errorf("also on standard error: %q", lines)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.log.INFO.*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("files %v, %v", names, err)
	}
	content, err := os.ReadFile(names[0])
	if err != nil || !strings.Contains(string(content), "] to the file\n") {
		t.Errorf("%v: %q", err, content)
	}
}

func logLost() error {
	sink, err := logging.Setup(logging.Options{})
	if err != nil {
		return err
	}
	for range 100 {
		sink.Logger().Error("lost")
	}
	sink.Flush()
	if sink.Lost() != 100 {
		return fmt.Errorf("%d lines were lost", sink.Lost())
	}
	return nil
}

// A process outlives a full disk and a reader that is gone.
func TestLogThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	read, broken, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = read.Close()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no full device")
	}
	for name, stderr := range map[string]*os.File{"full disk": full, "broken pipe": broken} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), caseVar+"=full")
		cmd.Stderr = stderr
		if out, err := cmd.Output(); err != nil {
			t.Errorf("%s: %v %s", name, err, out)
		}
		_ = stderr.Close()
	}
}

func TestSetupRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		opts logging.Options
		code fault.Code
	}{
		{"no such directory", logging.Options{Dir: filepath.Join(t.TempDir(), "none")}, fault.LogDirUnusable},
		{"verbosity out of range", logging.Options{Verbosity: -1}, fault.BadOption},
		{"vmodule that is none", logging.Options{VModule: "x"}, fault.BadOption},
	}
	for _, tt := range tests {
		if _, err := logging.Setup(tt.opts); fault.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.code)
		}
	}
}
