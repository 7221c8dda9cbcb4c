package layout

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// backlog collects breaches of a rule that old folders still break. The list names
// those folders, and only shrinks: a folder that is not in it must keep the rule.
// `UPDATE=1 go test ./test/layout` drops the folders that keep it by now.
type backlog struct {
	list   string
	byPath map[string][]string
}

func newBacklog(list string) *backlog {
	return &backlog{list: list, byPath: map[string][]string{}}
}

// addf records a breach in a file of the tree.
func (b *backlog) addf(path, format string, args ...any) {
	dir := filepath.ToSlash(filepath.Dir(path))
	b.byPath[dir] = append(b.byPath[dir], fmt.Sprintf(format, args...))
}

// report fails for breaches in folders that the list does not name.
func (b *backlog) report(t *testing.T) {
	t.Helper()
	old := map[string]bool{}
	for line := range strings.Lines(read(t, b.list)) {
		if dir := strings.TrimSpace(line); dir != "" && !strings.HasPrefix(dir, "#") {
			old[dir] = true
		}
	}
	left, open := 0, []string{}
	for _, dir := range slices.Sorted(maps.Keys(b.byPath)) {
		if !old[dir] {
			t.Errorf("%s", strings.Join(b.byPath[dir], "\n"))
			continue
		}
		left += len(b.byPath[dir])
		open = append(open, dir)
		t.Logf("%4d in %s, as %s", len(b.byPath[dir]), dir, b.byPath[dir][0])
	}
	t.Logf("%d left in %d folders; %d folders of %s are done", left, len(open), len(old)-len(open), b.list)
	if os.Getenv("UPDATE") != "" {
		b.write(t, open)
	}
}

// write keeps the list's comment and replaces its folders.
func (b *backlog) write(t *testing.T, dirs []string) {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(read(t, b.list)) {
		if strings.HasPrefix(line, "#") {
			out.WriteString(line)
		}
	}
	for _, dir := range dirs {
		out.WriteString(dir + "\n")
	}
	if err := os.WriteFile(b.list, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// relative is a path of files below the top of the tree, with slashes.
func relative(t *testing.T, path string) string {
	t.Helper()
	rel, err := filepath.Rel(root, path)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}
