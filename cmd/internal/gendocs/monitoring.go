package main

import "io"

// monitoringFiles are the files of deploy/monitoring. Read-only.
var monitoringFiles = []generatedFile{
	{Name: "tutti-rules.yml", Write: whole(rulesFile)},
	{Name: "tutti-dashboard.json", Write: whole(dashboardFile)},
	{Name: "prometheus.yml", Write: whole(prometheusFile)},
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
