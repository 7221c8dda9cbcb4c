package doctor

import (
	"encoding/json"
	"io"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Schema is the version of the report's JSON. Fields are added to it, never renamed.
const Schema = 1

// Report is what a run found.
type Report struct {
	Schema  int       `json:"schema"`
	Version string    `json:"version"`
	Time    time.Time `json:"time"`
	// Status is the worst of the results that count.
	Status Status `json:"status"`
	// Running: a running node answered.
	Running bool     `json:"running"`
	Counts  Counts   `json:"counts"`
	Results []Result `json:"results"`
	// Millis is how long the run took.
	Millis int64 `json:"ms"`
}

// Counts are how many results there are of each status. Ignored ones count only there.
type Counts struct {
	Pass    int `json:"pass"`
	Warn    int `json:"warn"`
	Fail    int `json:"fail"`
	Skip    int `json:"skip"`
	Ignored int `json:"ignored"`
}

// NewReport sums results up.
func NewReport(version string, at time.Time, results []Result) Report {
	r := Report{Schema: Schema, Version: version, Time: at.UTC().Truncate(time.Second), Status: Pass, Results: results}
	for _, one := range results {
		if one.Ignored {
			r.Counts.Ignored++
			continue
		}
		switch one.Status {
		case Pass:
			r.Counts.Pass++
		case Skip:
			r.Counts.Skip++
		case Warn:
			r.Counts.Warn++
		case Fail:
			r.Counts.Fail++
		}
		if one.Status > Skip {
			r.Status = max(r.Status, one.Status)
		}
	}
	return r
}

// Worst returns the first code among the worst results that count; "" without a problem.
func (r *Report) Worst() fault.Code {
	for _, one := range r.Results {
		if one.Code != "" && !one.Ignored && one.Status == r.Status {
			return one.Code
		}
	}
	return ""
}

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
