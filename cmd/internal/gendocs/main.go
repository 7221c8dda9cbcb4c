// Command gendocs writes the files that are generated from tables in the code. `gendocs docs` writes
// the pages of docs/: the options, the fault codes, the admin API and the checks of doctor. `gendocs
// monitoring` writes deploy/monitoring: alert rules for Prometheus, from the table of faults and from
// the figures that a node shows, a dashboard for Grafana, and a Prometheus configuration to begin with.
//
// `gendocs verbs` writes tutti_cli's page, manual page and JSON Schemas out of its table of verbs.
//
// `make docs` runs the first two, `make generate` all; with -check they change nothing and exit with 1
// when a file is stale. It is a tool of the source tree and never part of a release.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// pages are the generated files of the documents' directory.
func pages() []generatedFile {
	return []generatedFile{
		{Name: "configuration.md", Write: config.WriteDoc},
		{Name: "troubleshooting.md", Write: fault.WriteDoc},
		{Name: "admin-api.md", Write: admin.WriteDoc},
		{Name: "doctor.md", Write: doctor.WriteDoc},
	}
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "docs":
			return refresh("gendocs docs", "docs", pages(), args[1:], stdout, stderr)
		case "monitoring":
			return refresh("gendocs monitoring", "deploy/monitoring", monitoringFiles, args[1:], stdout, stderr)
		case "verbs":
			return runVerbs(args[1:], stdout, stderr)
		}
	}
	fmt.Fprintln(stderr, "usage: gendocs docs|monitoring|verbs [-check] [-dir DIRECTORY | -root DIRECTORY]")
	return 2
}
