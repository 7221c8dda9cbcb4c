package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPagesOfTheTreeAreFresh(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if status := run([]string{"docs", "-check", "-dir", "../../../docs"}, &out, &errs); status != 0 {
		t.Error(errs.String())
	}
}

func TestWritesThenFindsFresh(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out, errs bytes.Buffer
	if status := run([]string{"docs", "-check", "-dir", dir}, &out, &errs); status != 1 ||
		strings.Count(errs.String(), "is stale; run make docs") != len(pages()) {
		t.Errorf("missing pages: %d %q", status, errs.String())
	}
	if status := run([]string{"docs", "-dir", dir}, &out, &errs); status != 0 ||
		strings.Count(out.String(), "written") != len(pages()) {
		t.Errorf("write: %d %q", status, out.String())
	}
	out.Reset()
	if status := run([]string{"docs", "-dir", dir}, &out, &errs); status != 0 || out.Len() != 0 {
		t.Errorf("write again: %d %q", status, out.String())
	}
	path := filepath.Join(dir, pages()[1].Name)
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	errs.Reset()
	if status := run([]string{"docs", "-check", "-dir", dir}, &out, &errs); status != 1 ||
		strings.Count(errs.String(), "stale") != 1 {
		t.Errorf("one stale page: %d %q", status, errs.String())
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if status := run(nil, &out, &errs); status != 2 {
		t.Errorf("no words: %d", status)
	}
	if status := run([]string{"docs", "-nonsense"}, &out, &errs); status != 2 {
		t.Errorf("unknown flag: %d", status)
	}
	if status := run([]string{"docs", "-dir", filepath.Join(t.TempDir(), "none")}, &out, &errs); status != 1 {
		t.Errorf("no directory: %d", status)
	}
}
