// Command gendocs writes the pages of docs/ that are generated from tables in
// the code: the options, the fault codes and the admin API. `make docs` runs it; with -check it
// changes nothing and exits with 1 when a page is stale.
//
// It is a tool of the source tree and never part of a release.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// pages are the generated files, by name in the documents' directory.
var pages = []struct {
	name  string
	write func(io.Writer) error
}{
	{"configuration.md", config.WriteDoc},
	{"troubleshooting.md", fault.WriteDoc},
	{"admin-api.md", admin.WriteDoc},
	{"doctor.md", doctor.WriteDoc},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("gendocs", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.Bool("check", false, "only say which pages are stale")
	dir := flags.String("dir", "docs", "the directory of the pages")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	stale := false
	for _, page := range pages {
		path := filepath.Join(*dir, page.name)
		same, err := update(path, page.write, !*check)
		if err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		switch {
		case same:
		case *check:
			stale = true
			fmt.Fprintf(stderr, "%s is stale; run make docs\n", path)
		default:
			fmt.Fprintf(stdout, "%s written\n", path)
		}
	}
	if stale {
		return 1
	}
	return 0
}

// update reports whether the page on disk is what write writes, and with change
// makes it so.
func update(path string, write func(io.Writer) error, change bool) (same bool, err error) {
	var want bytes.Buffer
	if err := write(&want); err != nil {
		return false, fmt.Errorf("generate %s: %w", path, err)
	}
	have, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return false, err
	}
	if err == nil && bytes.Equal(have, want.Bytes()) {
		return true, nil
	}
	if !change {
		return false, nil
	}
	return false, os.WriteFile(path, want.Bytes(), 0o644)
}
