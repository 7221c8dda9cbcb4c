// Command genmonitoring writes deploy/monitoring: alert rules for Prometheus, from the
// table of faults and from the figures that a node shows, a dashboard for Grafana, and a
// Prometheus configuration to begin with. `make docs` runs it; with -check it changes
// nothing and exits with 1 when a file is stale.
//
// It is a tool of the source tree and never part of a release; what it writes is.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// files are what is written, by name in the directory.
var files = []struct {
	name  string
	write func() ([]byte, error)
}{
	{"tutti-rules.yml", rulesFile},
	{"tutti-dashboard.json", dashboardFile},
	{"prometheus.yml", prometheusFile},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("genmonitoring", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.Bool("check", false, "only say which files are stale")
	dir := flags.String("dir", "deploy/monitoring", "the directory of the files")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	stale := false
	for _, f := range files {
		path := filepath.Join(*dir, f.name)
		want, err := f.write()
		if err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, want) {
			continue
		}
		if *check {
			stale = true
			fmt.Fprintf(stderr, "%s is stale; run make docs\n", path)
			continue
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		fmt.Fprintf(stdout, "%s written\n", path)
	}
	if stale {
		return 1
	}
	return 0
}
