package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
)

// home is a kit's folder whose test programs are scripts.
func home(t *testing.T, scripts map[string]string) string {
	t.Helper()
	home := t.TempDir()
	for _, folder := range packages() {
		script, found := scripts[folder]
		if !found {
			script = `echo '{"test":"T","what":"all","seen":"well","result":"passed"}' >>"$TUTTI_GPUKIT_CHECKS"`
		}
		write(t, filepath.Join(home, "tests", folder, filepath.Base(folder)+".test"), script)
	}
	return home
}

func write(t *testing.T, path, script string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// kitRun runs the kit and returns its report, its exit status and what it printed.
func kitRun(t *testing.T, limit time.Duration, args ...string) (Report, int, string) {
	t.Helper()
	var out strings.Builder
	s, err := parse(args, &out)
	if err != nil {
		t.Fatal(err)
	}
	s.stdout, s.limit = &out, limit
	passed, err := s.do(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	status := exitOK
	if !passed {
		status = exitFailed
	}
	r, err := Read(s.out)
	if err != nil {
		t.Fatal(err)
	}
	return r, status, out.String()
}

func TestAllParts(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	r, status, said := kitRun(t, time.Minute, "-home", home(t, nil), "-o", out, "-fake")
	if status != exitOK || !r.Passed() || r.Driver != Simulated || r.Card.Name == "" ||
		len(r.Parts) != len(parts) {
		t.Errorf("status %d, %+v\n%s", status, r, said)
	}
	text, err := os.ReadFile(filepath.Join(out, markdown))
	if err != nil || !strings.Contains(string(text), "# GPU report: NVIDIA GeForce RTX 4090\n") ||
		!strings.Contains(string(text), "No figure here is a GPU's") {
		t.Errorf("%v\n%s", err, text)
	}
	if left, err := filepath.Glob(filepath.Join(out, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestNothingStops: whatever a program does, the others run, and the report says what
// happened to it.
func TestNothingStops(t *testing.T) {
	t.Parallel()
	failed := `echo '{"test":"T","what":"an odd size","expected":"2","seen":"3 | 4","result":"failed"}' ` +
		`>>"$TUTTI_GPUKIT_CHECKS"; `
	kit := home(t, map[string]string{
		"transcoder/nvml":    failed + `echo '--- FAIL: TestCardX (0.00s)'; exit 1`,
		"test/gpu/inventory": `kill -SEGV $$`,
		"transcoder/libav":   `sleep 100 & wait`,
		"transcoder/worker":  `echo nonsense >>"$TUTTI_GPUKIT_CHECKS"`,
		"test/gpu/speed":     `true`,
	})
	out := t.TempDir()
	begin := time.Now()
	r, status, said := kitRun(t, 2*time.Second, "-home", kit, "-o", out, "-fake")
	if status != exitFailed || len(r.Parts) != len(parts) || time.Since(begin) > 30*time.Second {
		t.Fatalf("status %d after %v, %+v\n%s", status, time.Since(begin), r, said)
	}
	var verdicts []string
	for _, p := range r.Parts {
		if !p.Passed() {
			verdicts = append(verdicts, p.Name)
		}
	}
	// Of speed not one check was made: that is no success.
	if want := []string{"inventory", "correct", "walls", "speed"}; !slices.Equal(verdicts, want) {
		t.Errorf("failed: %v, want %v", verdicts, want)
	}
	first := r.Parts[0]
	if len(first.Programs) != 4 || !slices.Equal(first.Programs[0].Failed, []string{"TestCardX"}) ||
		!strings.Contains(first.Programs[1].End, "segmentation") || first.Programs[2].End != "" {
		t.Errorf("%+v", first.Programs)
	}
	if end := r.Parts[1].Programs[0].End; !strings.Contains(end, "stopped after") {
		t.Errorf("a program that hangs %q", end)
	}
	for _, want := range []string{"an odd size", "TestCardX", "stopped after"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in what was printed:\n%s", want, said)
		}
	}
	text, err := os.ReadFile(filepath.Join(out, markdown))
	if err != nil || !strings.Contains(string(text), `| **failed** | an odd size | 2 | 3 \| 4 |  |`) {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestPartsAreReplaced: a part that runs again takes the place of its earlier run, and
// reports of single parts become one.
func TestPartsAreReplaced(t *testing.T) {
	t.Parallel()
	kit, out, other, all := home(t, nil), t.TempDir(), t.TempDir(), t.TempDir()
	kitRun(t, time.Minute, "-home", kit, "-o", out, "-fake", "walls", "inventory")
	write(t, filepath.Join(kit, "tests/transcoder/worker/worker.test"), "exit 3")
	r, status, _ := kitRun(t, time.Minute, "-home", kit, "-o", out, "-fake", "walls")
	if status != exitFailed || len(r.Parts) != 2 || r.Parts[0].Name != "inventory" || !r.Parts[0].Passed() ||
		r.Parts[1].Passed() {
		t.Errorf("status %d, %+v", status, r.Parts)
	}
	kitRun(t, time.Minute, "-home", kit, "-o", other, "-fake", "correct")
	if r, _, _ := kitRun(t, 0, "-o", all, "merge", out, other); len(r.Parts) != 3 || r.Parts[1].Name != "correct" {
		t.Errorf("%+v", r.Parts)
	}
	kitRun(t, time.Minute, "-home", kit, "-o", other, "-fake-without-encoder", "correct")
	if err := merge(all, []string{out, other}); err == nil {
		t.Error("reports of two GPUs became one")
	}
}

// TestNoCard: without a GPU the inventory still runs, and says why the rest does not.
func TestNoCard(t *testing.T) {
	t.Parallel()
	kit := home(t, nil)
	write(t, filepath.Join(kit, "bin", "tutti"),
		`echo '{"driver":"","gpus":[],"problems":[{"code":"NoDevices","detail":"none here"}]}'; exit 1`)
	r, status, said := kitRun(t, time.Minute, "-home", kit, "-o", t.TempDir(), "inventory", "correct")
	if status != exitFailed || !r.Parts[0].Passed() || r.Parts[1].Count(card.Failed) != 1 ||
		!strings.Contains(said, "NoDevices: none here") {
		t.Errorf("status %d, %+v\n%s", status, r.Parts, said)
	}
}

func TestACard(t *testing.T) {
	t.Parallel()
	kit := home(t, map[string]string{"transcoder/libav": `echo "{\"test\":\"T\",\"what\":\"told\",` +
		`\"seen\":\"$TUTTI_GPUKIT $TUTTI_GPUKIT_FULL\",\"result\":\"passed\"}" >>"$TUTTI_GPUKIT_CHECKS"`})
	write(t, filepath.Join(kit, "bin", "tutti"), `cat <<X
{"driver":"580.1","cuda":"13.0","gpus":[{"index":0,"name":"Old","usable":false},{"index":1,"uuid":"GPU-1",`+
		`"name":"NVIDIA H100","compute":"9.0","usable":true,"memory_total":1048576}],"problems":[]}
X`)
	out := t.TempDir()
	r, status, said := kitRun(t, time.Minute, "-home", kit, "-o", out, "correct")
	want := Card{Name: "NVIDIA H100", UUID: "GPU-1", Compute: "9.0", Memory: 1 << 20}
	if status != exitOK || r.Card != want || r.Driver != "580.1" || r.CUDA != "13.0" ||
		r.Parts[0].Checks[0].Seen != "real true" {
		t.Errorf("status %d, %+v\n%s", status, r, said)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"wals"}, {"-frob"}, {"inventory", "frob"}} {
		var out, errs strings.Builder
		if status := run(t.Context(), args, false, &out, &errs); status != exitUsage || errs.Len() == 0 {
			t.Errorf("%q: status %d, %s", args, status, errs.String())
		}
	}
	var out, errs strings.Builder
	if status := run(t.Context(), []string{"-h"}, false, &out, &errs); status != exitOK ||
		!strings.Contains(errs.String(), "inventory, correct, walls, node, speed, load") {
		t.Errorf("status %d, %s", status, errs.String())
	}
}
