package speed_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/gpu/card"
)

// envOut names the folder for tables.
const envOut = "TUTTI_GPUKIT_OUT"

// overload is how many times its playing time a segment may take: with more streams than
// that the node's deadlines end them.
const overload = 2

// streamRow is what one number of streams did.
type streamRow struct {
	source   string
	streams  int
	starting time.Duration
	figures
}

// streams measures numbers of streams at once, as many as the GPU and the time admit.
func (r *rig) streams(t *testing.T, s source, counts []int, limit time.Duration) {
	end := time.Now().Add(r.left(limit))
	var rows []streamRow
	for _, n := range counts {
		what := fmt.Sprintf("%s, streams at once: %d", s.name, n)
		needs := 2 * s.each
		if len(rows) > 0 && card.Full() {
			last := rows[len(rows)-1]
			// Each stream does one segment at least.
			round := seconds(float64(n) / last.rate())
			needs = s.each + round + last.starting
			if late := overload * s.clip.Segment; round > late {
				card.SkipCheck(t, what, fmt.Sprintf("too many for this machine: a segment of %v would take about %.1f s",
					s.clip.Segment, round.Seconds()))
				break
			}
		}
		if left := time.Until(end); left < needs {
			card.SkipCheck(t, what, noTime(needs, left))
			break
		}
		row, ok := r.stream(t, s, what, n, needs)
		if !ok {
			break
		}
		rows = append(rows, row)
		r.realTime[s.name] = max(r.realTime[s.name], row.factor())
	}
	r.table = append(r.table, rows...)
	r.single(t, s, rows)
	r.perSession(t, s, rows)
	r.slowedDown(t, s, rows)
	r.writeTable(t)
}

// stream measures one number of streams and reports whether there are figures.
func (r *rig) stream(t *testing.T, s source, what string, n int, needs time.Duration) (row streamRow, ok bool) {
	t.Helper()
	length := []string{"-until", s.each.String()}
	if !card.Full() {
		length = []string{"-segs", "2"}
	}
	limit := min(2*needs+30*time.Second, max(time.Until(r.end), time.Second))
	d, err := r.bench(t, s, limit, nil, fastest(n, length...)...)
	if reason := refused(err); reason != "" && n > 1 {
		card.SkipCheck(t, what, "the GPU admits no more streams: "+reason)
		return row, false
	}
	if err != nil {
		r.failed(t, what, err)
		return row, false
	}
	f := d.Runs[0]
	g := f.card()
	times := fmt.Sprintf("%d segments in %.1f s, p50 %.3f s, p95 %.3f s, slowest %.3f s",
		f.Segments, f.Wall, f.P50, f.P95, f.Slowest)
	load := fmt.Sprintf("NVDEC %d %%, NVENC %d %%, GPU %d %%; GPU memory %d MiB",
		g.Decoder, g.Encoder, g.GPU, g.Memory>>20)
	card.CheckThat(t, f.Segments >= n && f.P50 > 0 && f.Slowest >= f.P50, what,
		fmt.Sprintf("at least %d segments and their times", n), times+"; "+load,
		r.figure("%.2f segments/s, %.1f × real time, %.3f CPU seconds per second of video",
			f.rate(), f.factor(), f.Processor/f.Source))
	return streamRow{s.name, n, d.starting, f}, true
}

// refused is the code of a fault that says that the GPU is full, "" for another error.
func refused(err error) string {
	if err == nil {
		return ""
	}
	for _, code := range []fault.Code{fault.EncoderSessionsExhausted, fault.GPUOutOfMemory} {
		if strings.Contains(err.Error(), string(code)) {
			return string(code)
		}
	}
	return ""
}

// single looks at one stream: whether it is faster than real time, and how much longer
// its first segment takes.
func (r *rig) single(t *testing.T, s source, rows []streamRow) {
	t.Helper()
	i := slices.IndexFunc(rows, func(row streamRow) bool { return row.streams == 1 })
	what, cold := s.name+", one stream in real time", s.name+", the first segment of a session"
	if i < 0 {
		card.SkipCheck(t, what, "one stream was not measured")
		card.SkipCheck(t, cold, "one stream was not measured")
		return
	}
	f := rows[i]
	speed, first := fmt.Sprintf("%.1f × real time", f.factor()), fmt.Sprintf("%.3f s", f.First)
	times := r.figure("%.3f s, later ones %.3f s", f.First, f.Later)
	if !r.card.Real() {
		card.RecordCheck(t, what, speed, r.figure("%s", speed))
		card.RecordCheck(t, cold, first, times)
		return
	}
	card.CheckThat(t, f.factor() >= 1, what, "at least 1 × real time", speed, speed)
	card.CheckThat(t, f.First <= s.clip.Segment.Seconds(), cold,
		fmt.Sprintf("done within the %v that it plays", s.clip.Segment), first, times)
}

// perSession is the memory of a stream on the GPU and in the host: the difference
// between many and few, by their number.
func (r *rig) perSession(t *testing.T, s source, rows []streamRow) {
	t.Helper()
	host, onCard := s.name+", memory of a media worker per session", s.name+", memory of the GPU per session"
	if len(rows) < 2 {
		card.SkipCheck(t, host, "it takes two numbers of streams to tell")
		card.SkipCheck(t, onCard, "it takes two numbers of streams to tell")
		return
	}
	few, many := rows[0], rows[len(rows)-1]
	between := fmt.Sprintf("between %d and %d streams", few.streams, many.streams)
	each := func(a, b int64) float64 { return float64(b-a) / (1 << 20) / float64(many.streams-few.streams) }
	inHost := fmt.Sprintf("%.1f MiB, %d MiB with one stream", each(few.Memory, many.Memory), few.Memory>>20)
	if !r.card.Real() {
		inHost += " (simulated driver: with the GPU's memory)"
	}
	card.RecordCheck(t, host, between, inHost)
	if few.card().Memory == 0 || many.card().Memory == 0 {
		card.SkipCheck(t, onCard, "no use of it was seen: the driver is read once a second, which may be too seldom here")
		return
	}
	mib := each(few.card().Memory, many.card().Memory)
	figure := fmt.Sprintf("%.1f MiB, %d MiB in use with one stream", mib, few.card().Memory>>20)
	if many.streams < 8 {
		// The driver is read once a second: short runs may have ended between.
		card.RecordCheck(t, onCard, between, figure)
		return
	}
	card.CheckThat(t, mib > 0 && mib < 1024, onCard, "more than 0, less than 1 GiB", between, figure)
}

// slowedDown records what slowed the GPU down, and its temperature.
func (r *rig) slowedDown(t *testing.T, s source, rows []streamRow) {
	t.Helper()
	var why []string
	hottest, asked := 0, false
	for _, row := range rows {
		for _, g := range row.GPUs {
			asked, hottest = true, max(hottest, g.Temperature)
			if g.Throttled != "" {
				why = append(why, fmt.Sprintf("%s with %d streams", g.Throttled, row.streams))
			}
		}
	}
	what := s.name + ", what slowed the GPU down"
	if !asked {
		card.SkipCheck(t, what, "the driver does not report it")
		return
	}
	seen := "nothing"
	if len(why) > 0 {
		seen = strings.Join(why, "; ")
	}
	card.RecordCheck(t, what, seen, fmt.Sprintf("%d °C at most", hottest))
}

// writeTable writes all rows so far as CSV into the kit's folder, if there is one.
func (r *rig) writeTable(t *testing.T) {
	t.Helper()
	folder := os.Getenv(envOut)
	if folder == "" {
		return
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	rows := [][]string{{"source", "streams", "segments", "segments_per_s", "real_time_factor",
		"real_time_segments_ratio",
		"p50_s", "p95_s", "slowest_s", "first_s", "later_s", "cpu_s_per_video_s", "worker_mib", "card_mib",
		"gpu_percent",
		"nvdec_percent", "nvenc_percent", "encoder_sessions", "temperature_c", "throttled"}}
	for _, row := range r.table {
		rows = append(rows, row.fields())
	}
	if err := w.WriteAll(rows); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "speed-streams.csv"), []byte(b.String()), 0o644); err != nil {
		t.Error(err)
	}
}

// fields are the row for the table.
func (row streamRow) fields() []string {
	out := []string{row.source, strconv.Itoa(row.streams), strconv.Itoa(row.Segments)}
	for _, v := range []float64{row.rate(), row.factor(), row.RealTime, row.P50, row.P95, row.Slowest,
		row.First, row.Later, row.Processor / row.Source} {
		out = append(out, strconv.FormatFloat(v, 'f', 4, 64))
	}
	g := row.card()
	memory := []int{int(row.Memory >> 20), int(g.Memory >> 20)}
	for _, v := range append(memory, g.GPU, g.Decoder, g.Encoder, g.Sessions, g.Temperature) {
		out = append(out, strconv.Itoa(v))
	}
	return append(out, g.Throttled)
}
