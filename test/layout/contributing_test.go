package layout

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	exampleRow = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\| [^|]+ \\|$")
	codeSpan   = regexp.MustCompile("`([^`]+)`")
)

// The examples of CONTRIBUTING.md name files that exist.
func TestExamplesNameFiles(t *testing.T) {
	t.Parallel()
	sections := strings.Split(read(t, filepath.Join(root, "CONTRIBUTING.md")), "\n## ")
	examples := 0
	for _, section := range sections {
		title, rows, _ := strings.Cut(section, "\n")
		if !strings.HasPrefix(title, "How to add ") {
			continue
		}
		examples++
		paths := 0
		for _, row := range exampleRow.FindAllStringSubmatch(rows, -1) {
			for _, span := range codeSpan.FindAllStringSubmatch(row[1], -1) {
				paths++
				found, err := filepath.Glob(filepath.Join(root, span[1]))
				if err != nil || len(found) == 0 {
					t.Errorf("CONTRIBUTING.md, %s: no file %s (%v)", title, span[1], err)
				}
			}
		}
		if paths < 3 {
			t.Errorf("CONTRIBUTING.md, %s: only %d files", title, paths)
		}
	}
	if examples != 4 {
		t.Errorf("%d examples, want an option, a condition, a pipeline and a metric", examples)
	}
}
