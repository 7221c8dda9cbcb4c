package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVerbsOfTheTreeAreFresh(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if status := run([]string{"verbs", "-check", "-root", "../../.."}, &out, &errs); status != 0 {
		t.Error(errs.String())
	}
	files, err := generateVerbs()
	if err != nil {
		t.Fatal(err)
	}
	have, err := filepath.Glob("../../tutti_cli/action/schema/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range have {
		if _, ok := files["cmd/tutti_cli/action/schema/"+filepath.Base(path)]; !ok {
			t.Errorf("%s belongs to no verb", path)
		}
	}
}

func TestVerbsWrittenThenFresh(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var out, errs bytes.Buffer
	if status := run([]string{"verbs", "-check", "-root", root}, &out, &errs); status != 1 ||
		!strings.Contains(errs.String(), "stale; run make generate") {
		t.Error(status, errs.String())
	}
	if status := run([]string{"verbs", "-root", root}, &out, &errs); status != 0 {
		t.Error(status, errs.String())
	}
	if status := run([]string{"verbs", "-check", "-root", root}, &out, &errs); status != 0 {
		t.Error(status, errs.String())
	}
	if err := os.WriteFile(filepath.Join(root, "docs", "tutti_cli.md"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status := run([]string{"verbs", "-check", "-root", root}, &out, &errs); status != 1 {
		t.Error(status)
	}
	if status := run([]string{"verbs", "-nonsense"}, &out, &errs); status != 2 {
		t.Error(status)
	}
}
