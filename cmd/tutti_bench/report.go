package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tuttinode/tutti/core"
)

// lines writes one CSV line per segment. Its caller serializes.
type lines struct {
	w     io.Writer
	begun bool
}

func newLines(w io.Writer) *lines { return &lines{w: w} }

func (l *lines) write(at time.Time, session, segment int, source, took time.Duration, frames core.Frames) {
	if !l.begun {
		fmt.Fprintln(l.w, "timestamp,session,segment,seg_dur,transcode_time,frames")
		l.begun = true
	}
	fmt.Fprintf(l.w, "%s,%d,%d,%0.4g,%0.4g,%d\n", at.Format("2006-01-02 15:04:05.0000"), session, segment,
		source.Seconds(), took.Seconds(), frames)
}

// document is what -json prints.
type document struct {
	Version  string            `json:"version"`
	Settings map[string]string `json:"settings"`
	Runs     []figures         `json:"runs"`
	// Limit is the session limit that -findLimit found.
	Limit *int `json:"sessionLimit,omitempty"`
	// Against is what -against compared.
	Against *comparison `json:"against,omitempty"`
}

func (d document) write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

type row struct{ name, value string }

func (s settings) rows() []row {
	names := make([]string, 0, len(s.profiles))
	for _, p := range s.profiles {
		names = append(names, p.Name)
	}
	in := s.in
	if in == "" {
		in = "generated " + generatedName
	}
	preset := s.preset
	if preset == "" {
		preset = "default"
	}
	return []row{
		{"Source File", in},
		{"Transcoding Options", strings.Join(names, ",")},
		{"Devices", strings.Join(deviceNames(s.devices), ",")},
		{"Encoder Preset", preset},
		{"Concurrent Sessions", fmt.Sprint(s.sessions)},
		{"Live Mode", fmt.Sprint(s.live)},
		{"A Session per Segment", fmt.Sprint(s.fresh)},
		{"MPEG-7 Sign Mode", fmt.Sprint(s.signature)},
		{"Media Workers", fmt.Sprint(!s.inProcess)},
	}
}

func (s settings) describe() map[string]string {
	m := make(map[string]string)
	for _, r := range s.rows() {
		m[r.name] = r.value
	}
	return m
}

func writeSettings(w io.Writer, s settings, pieces []piece) error {
	return table(w, append(s.rows(), row{"Segments per Session", fmt.Sprint(len(pieces))}))
}

func writeFigures(w io.Writer, f figures) error {
	rows := []row{
		{"Concurrent Sessions", fmt.Sprint(f.Sessions)},
		{"Total Segs Transcoded", fmt.Sprint(f.Segments)},
		{"Real-Time Segs Transcoded", fmt.Sprint(f.RealTime)},
		{"* Real-Time Segs Ratio *", fmt.Sprintf("%0.4g", f.SegmentRatio)},
		{"Total Source Duration", fmt.Sprintf("%0.4gs", f.Source)},
		{"Total Transcoding Duration", fmt.Sprintf("%0.4gs", f.Transcoding)},
		{"* Real-Time Duration Ratio *", fmt.Sprintf("%0.4g", f.DurationRatio)},
		{"Transcoding p50 / p95 / p99", fmt.Sprintf("%0.3gs / %0.3gs / %0.3gs", f.P50, f.P95, f.P99)},
		{"First Segments / Later Ones", fmt.Sprintf("%0.3gs / %0.3gs", f.First, f.Later)},
		{"Processor Time", fmt.Sprintf("%0.4gs", f.Processor)},
	}
	if f.Memory > 0 {
		rows = append(rows, row{"Peak Worker Memory", fmt.Sprintf("%d MB", f.Memory>>20)})
	}
	for _, g := range f.GPUs {
		rows = append(rows,
			row{"GPU " + g.Device, g.Model},
			row{"  Peak Memory / Encoders", fmt.Sprintf("%d MB / %d", g.Memory>>20, g.EncoderSessions)},
			row{"  NVDEC / NVENC / GPU Load", fmt.Sprintf("%d%% / %d%% / %d%%", g.Decoder, g.Encoder, g.GPU)})
		if g.Throttled != "" {
			rows = append(rows, row{"  Slowed Down By", g.Throttled})
		}
	}
	if f.Failure != "" {
		rows = append(rows, row{"* Failed *", f.Failure})
	}
	return table(w, rows)
}

func writeComparison(w io.Writer, c comparison) error {
	return table(w, []row{
		{"Concurrent Sessions", fmt.Sprint(c.Sessions)},
		{"Compared With", c.Program},
		{"Wall Time, Ours / Theirs", fmt.Sprintf("%0.4gs / %0.4gs", c.Ours.Wall, c.Theirs.Wall)},
		{"* Ratio *", fmt.Sprintf("%0.3g (below 1 we are faster)", c.Ratio)},
		{"* Ratio Without Starts *", fmt.Sprintf("%0.3g (0: not known)", c.SteadyRatio)},
		{"Processor Time, Ours / Theirs", fmt.Sprintf("%0.4gs / %0.4gs", c.Ours.Processor, c.Theirs.Processor)},
		{"* Processor Ratio *", fmt.Sprintf("%0.3g (below 1 we are cheaper)", c.ProcessorRatio)},
	})
}

// table draws a bordered table of two columns.
func table(w io.Writer, rows []row) error {
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.Debug)
	for _, r := range rows {
		fmt.Fprintf(t, " %s\t %s\n", r.name, r.value)
	}
	return t.Flush()
}
