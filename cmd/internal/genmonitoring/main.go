// Command genmonitoring writes deploy/monitoring: alert rules for Prometheus, from the
// table of faults and from the figures that a node shows, a dashboard for Grafana, and a
// Prometheus configuration to begin with. `make docs` runs it; with -check it changes
// nothing and exits with 1 when a file is stale.
//
// It is a tool of the source tree and never part of a release; what it writes is.
package main

import (
	"io"
	"os"

	"github.com/tuttinode/tutti/cmd/internal/generated"
)

// files are what is written.
func files() []generated.File {
	return []generated.File{
		{Name: "tutti-rules.yml", Write: whole(rulesFile)},
		{Name: "tutti-dashboard.json", Write: whole(dashboardFile)},
		{Name: "prometheus.yml", Write: whole(prometheusFile)},
	}
}

// whole writes a file that is made in one piece.
func whole(make func() ([]byte, error)) func(io.Writer) error {
	return func(w io.Writer) error {
		text, err := make()
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	}
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	return generated.Run("genmonitoring", "deploy/monitoring", files(), args, stdout, stderr)
}
