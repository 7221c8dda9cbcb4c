// Command gendocs writes the pages of docs/ that are generated from tables in
// the code: the options, the fault codes and the admin API. `make docs` runs it; with -check it
// changes nothing and exits with 1 when a page is stale.
//
// It is a tool of the source tree and never part of a release.
package main

import (
	"io"
	"os"

	"github.com/tuttinode/tutti/cmd/internal/generated"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// pages are the generated files of the documents' directory.
func pages() []generated.File {
	return []generated.File{
		{Name: "configuration.md", Write: config.WriteDoc},
		{Name: "troubleshooting.md", Write: fault.WriteDoc},
		{Name: "admin-api.md", Write: admin.WriteDoc},
		{Name: "doctor.md", Write: doctor.WriteDoc},
	}
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	return generated.Run("gendocs", "docs", pages(), args, stdout, stderr)
}
