package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// guideBlock is a fenced part of docs/live.md: the one with a label that contains a text.
func guideBlock(t *testing.T, label, text string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(page), "\n```"+label+"\n")[1:] {
		if block, _, ended := strings.Cut(part, "\n```\n"); ended && strings.Contains(block, text) {
			return block + "\n"
		}
	}
	t.Fatalf("docs/live.md has no block of %s with %q", label, text)
	return ""
}

// guideRunner writes a runner of the guide into a folder.
func guideRunner(t *testing.T, dir, label string) (path string) {
	t.Helper()
	_, name, _ := strings.Cut(label, " ")
	path = filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(guideBlock(t, label, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// startProgram starts a program with a port; it ends with the test.
func startProgram(t *testing.T, port string, words ...string) {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "PORT="+port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// TestTheRunnersOfTheGuide runs what docs/live.md shows to application developers, as it is there but for the ports: a
// runner in Python and one in Go, listed by the page's file.
func TestTheRunnersOfTheGuide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	python, program := guideRunner(t, dir, "python runner.py"), filepath.Join(dir, "words")
	out, err := exec.Command("go", "build", "-o", program, guideRunner(t, dir, "go runner.go")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	list := guideBlock(t, "json", "demo/shout")
	for port, words := range map[string][]string{"9000": {"python3", python}, "9001": {program}} {
		_, free, _ := strings.Cut(harness.Address(t), ":")
		startProgram(t, free, words...)
		if strings.Count(list, port) != 1 {
			t.Fatalf("the list of runners names the port %s %d times", port, strings.Count(list, port))
		}
		list = strings.Replace(list, port, free, 1)
	}
	var entries struct{ Runners []json.RawMessage }
	if err := json.Unmarshal([]byte(list), &entries); err != nil {
		t.Fatal(err)
	}
	node, uri, _ := startLive(t, string(entries.Runners[0])+","+string(entries.Runners[1]))
	for label, want := range map[string]func(id string) string{
		"shout": func(id string) string { return id + " says HELLO WORLD" },
		"words": func(string) string { return "data: HELLO\n\ndata: WORLD\n\n" },
	} {
		var s liveSession
		node.Wait("a session of "+label, 30*time.Second, func() bool {
			status, text := send(t, "POST", uri+"/apps/"+label+"/session", "")
			return status == http.StatusOK && json.Unmarshal([]byte(text), &s) == nil
		})
		if status, text := send(t, "POST", s.App+"/words", "hello world"); status != http.StatusOK || text != want(s.ID) {
			t.Errorf("%s: %d %q", label, status, text)
		}
		if status, text := send(t, "POST", s.Control+"/stop", ""); status != http.StatusNoContent {
			t.Errorf("%s: %d %q", label, status, text)
		}
	}
}
