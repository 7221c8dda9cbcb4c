package harness

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// shipped are the folders whose code is in the programs under test.
var shipped = []string{"ai", "cmd", "config", "core", "eth", "pm", "server", "transcoder"}

// readSources looks at the code of the programs under test. The go command runs a test
// again when a file changed that it opened; it does not know of programs that the test
// builds and starts.
var readSources = sync.OnceFunc(func() {
	root := moduleRoot()
	if root == "" || ready("tutti") != "" {
		return
	}
	_, _ = os.Stat(filepath.Join(root, "go.sum"))
	for _, top := range shipped {
		_ = filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasSuffix(path, "_test.go") {
				_, _ = os.Stat(path)
			}
			return nil
		})
	}
})

// moduleRoot is the folder with go.mod above the test's own, "" where there is none.
func moduleRoot() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}
