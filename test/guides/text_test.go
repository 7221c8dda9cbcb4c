package guides

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// runElsewhere are files that do not end by themselves or need a browser, with the test that runs them.
var runElsewhere = map[string]string{
	"python runner.py": "test/e2e/liveguide_test.go",
	"go runner.go":     "test/e2e/liveguide_test.go",
	"html page.html":   "test/e2e/livecamera_test.go",
}

// A file that is run elsewhere is in a guide, and named by that test.
func TestFilesAreRunElsewhere(t *testing.T) {
	t.Parallel()
	labels := map[string]bool{}
	for _, blocks := range documents(t) {
		for _, b := range blocks {
			labels[b.label] = true
		}
	}
	for label, test := range runElsewhere {
		text, err := os.ReadFile(filepath.Join(tree, test))
		if err != nil || !strings.Contains(string(text), `"`+label+`"`) || !labels[label] {
			t.Errorf("%s is to be run by %s (%v), in a guide: %t", label, test, err, labels[label])
		}
	}
}

// Labels say what a block is, so that none is passed over: a new one is decided on here.
func TestLabels(t *testing.T) {
	t.Parallel()
	for name, blocks := range documents(t) {
		for _, b := range blocks {
			if !slices.Contains([]string{"sh", "console", "json", "python", "javascript", "bat", ""}, b.label) &&
				runElsewhere[b.label] == "" {
				t.Errorf("%s:%d: no test knows blocks of %s", name, b.line, b.label)
			}
			if b.label == "json" && !json.Valid([]byte(strings.Join(b.text, "\n"))) {
				t.Errorf("%s:%d: this is not JSON", name, b.line)
			}
		}
	}
}

// pages are the texts of all guides by their paths.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(tree, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, filepath.Join(tree, "README.md")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = string(text)
	}
	return out
}

var (
	link    = regexp.MustCompile(`(?:\]\(|src(?:set)?=")([^)"\s]+)`)
	named   = regexp.MustCompile(`(?:id|name)="([^"]+)"`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	inline  = regexp.MustCompile("`(tutti_cli|tutti) ([a-z][^`]*)`")
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Links lead to files of the tree, and to headings that are there.
func TestLinks(t *testing.T) {
	t.Parallel()
	all := pages(t)
	headings := map[string][]string{}
	for path, text := range all {
		headings[path] = anchors(text)
	}
	for path, text := range all {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := filepath.Join(filepath.Dir(path), file)
			if file == "" {
				target = path
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s: %v", path, m[1], err)
			} else if anchor != "" && strings.HasSuffix(target, ".md") && !slices.Contains(headings[target], anchor) {
				t.Errorf("%s: %s has no heading %s", path, target, anchor)
			}
		}
	}
}

// anchors are the names of a page's headings, and those that it gives itself.
func anchors(text string) (out []string) {
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}

// Commands that stand within sentences have verbs that the programs know.
func TestVerbsInSentences(t *testing.T) {
	t.Parallel()
	known := map[string][]string{"tutti_cli": verbsOf(t),
		"tutti": {"alert test", "completion", "config check", "doctor", "gateway route", "gpu list", "help", "init",
			"key", "ledger", "migrate", "move"}}
	seen := map[string]bool{}
	for path, text := range pages(t) {
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			seen[m[1]+" "+m[2]] = true
			if !slices.ContainsFunc(known[m[1]],
				func(verb string) bool { return strings.HasPrefix(m[2]+" ", verb+" ") || strings.HasPrefix(verb, m[2]) }) {
				t.Errorf("%s: %s has no verb for `%s %s`", path, m[1], m[1], m[2])
			}
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d commands found: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
}

// verbsOf are the verbs that tutti_cli lists in its help.
func verbsOf(t *testing.T) (verbs []string) {
	t.Helper()
	out, err := exec.Command(filepath.Join(bin, "tutti_cli"), "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^  ([a-z]+(?: [a-z-]+)?)  +[A-Z]`)
	for _, m := range row.FindAllStringSubmatch(string(out), -1) {
		verbs = append(verbs, m[1])
	}
	if len(verbs) < 40 {
		t.Fatalf("only %d verbs in\n%s", len(verbs), out)
	}
	return verbs
}
