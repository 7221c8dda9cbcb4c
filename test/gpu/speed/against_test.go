package speed_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
)

// enough is our wall time by ffmpeg's up to which we keep 0.97 of its speed.
const enough = 1.03

// ffmpeg is the program of the libav that we link, "" where it is not there.
func ffmpeg() string {
	path := filepath.Join(os.Getenv("TUTTI_DEPS"), "bin", "ffmpeg")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// against compares the work of so many streams with ffmpeg's, in turns, or of fewer
// where the GPU admits no more.
func (r *rig) against(t *testing.T, s source, streams int, limit time.Duration) {
	if ffmpeg() == "" {
		card.SkipCheck(t, s.name+", our wall time against ffmpeg's", "there is no ffmpeg next to the programs")
		return
	}
	end := time.Now().Add(r.left(limit))
	for ; ; streams /= 2 {
		what := fmt.Sprintf("%s, streams at once: %d, our wall time against ffmpeg's", s.name, streams)
		if !r.has(t, what, 3*s.trial) {
			return
		}
		p, err := r.trial(t, s, streams, max(time.Until(end), s.trial))
		if reason := refused(err); reason != "" && streams > 1 {
			card.SkipCheck(t, what, "the GPU admits fewer streams: "+reason)
			continue
		}
		if err != nil {
			r.failed(t, what, err)
			return
		}
		r.pairs(t, s, what, streams, p, end)
		return
	}
}

// pairs makes as many pairs as end before a time, three at most.
func (r *rig) pairs(t *testing.T, s source, what string, streams int, p pace, end time.Time) {
	t.Helper()
	segments := s.sized(p, streams, s.side)
	// tutti_bench first measures us alone, over a segment of each stream; each half of a
	// pair is done for the first segments, too.
	pair := 2*p.run(segments*streams) + 3*p.run(streams)
	count, left := 3, time.Until(end)
	if time.Duration(count)*pair > left || !card.Full() {
		count = 1
	}
	if pair > left {
		card.SkipCheck(t, what, noTime(pair, left))
		return
	}
	// Twice the time that is planned, and more to start and to compile kernels.
	limit := min(time.Duration(2*count)*pair+30*time.Second, time.Until(r.end))
	d, err := r.bench(t, s, limit, nil, fastest(streams, "-segs", strconv.Itoa(segments), "-until", "1ms",
		"-repeat", strconv.Itoa(count), "-against", ffmpeg())...)
	if err == nil && (d.Against == nil || len(d.Against.Ratios) != count || d.Against.Ratio <= 0) {
		err = fmt.Errorf("it printed no comparison of %d pairs: %+v", count, d.Against)
	}
	if err != nil {
		r.failed(t, what+": tutti_bench compares", err)
		return
	}
	card.NoError(t, err, what+": tutti_bench compares", fmt.Sprintf("%d pairs", count))
	r.compared(t, what, s, streams*segments, *d.Against)
}

// compared records a comparison of so many segments in all. What counts is how both go
// on: a node starts its media workers once.
func (r *rig) compared(t *testing.T, what string, s source, segments int, c comparison) {
	t.Helper()
	n, play := float64(segments), s.clip.Segment.Seconds()
	seen := fmt.Sprintf("%.2f s, %.2f s of it for the first segments; ffmpeg %.2f s and %.2f s",
		c.Ours.Wall, c.OursFirst.Wall, c.Theirs.Wall, c.TheirsFirst.Wall)
	spread := c.SteadyRatios
	ratio := r.figure("%.3f × (pairs: %.3f to %.3f), %d segments",
		c.SteadyRatio, spread[0], spread[len(spread)-1], segments)
	if r.card.Real() {
		card.CheckThat(t, c.SteadyRatio > 0 && c.SteadyRatio <= enough, what+", without starts",
			fmt.Sprintf("at most %.2f ×", enough), seen, ratio)
	} else {
		card.RecordCheck(t, what+", without starts", seen, ratio)
	}
	card.RecordCheck(t, what+", with starts", seen,
		r.figure("%.3f × (pairs: %.3f to %.3f)", c.Ratio, c.Ratios[0], c.Ratios[len(c.Ratios)-1]))
	card.RecordCheck(t, what+", CPU time without starts",
		fmt.Sprintf("%.2f s in all, ffmpeg %.2f s", c.Ours.Processor, c.Theirs.Processor),
		r.figure("%.3f ×", c.SteadyProcessorRatio))
	card.RecordCheck(t, what+", pace with starts",
		fmt.Sprintf("%.1f × real time, ffmpeg %.1f ×", n*play/c.Ours.Wall, n*play/c.Theirs.Wall),
		r.figure("%.2f segments/s, ffmpeg %.2f segments/s", n/c.Ours.Wall, n/c.Theirs.Wall))
}

// keptAgainstFresh compares sessions that last with a session per segment.
func (r *rig) keptAgainstFresh(t *testing.T, s source, limit time.Duration) {
	what := s.name + ", a segment of a kept session against one of a session made anew"
	if !r.has(t, what, 3*s.trial) {
		return
	}
	end := time.Now().Add(r.left(limit))
	p, err := r.trial(t, s, 1, time.Until(end))
	if err != nil {
		r.failed(t, what, err)
		return
	}
	segments := 1 + s.sized(p, 1, s.side/2)
	one := p.run(segments)
	var pairs [][2]float64
	for len(pairs) < 3 && (card.Full() || len(pairs) == 0) && time.Until(end) > 2*one {
		var pair [2]float64
		for i, args := range [][]string{nil, {"-fresh"}} {
			args = append(args, "-segs", strconv.Itoa(segments))
			d, err := r.bench(t, s, min(2*one+30*time.Second, time.Until(r.end)), nil, fastest(1, args...)...)
			if err != nil {
				r.failed(t, what, err)
				return
			}
			pair[i] = d.Runs[0].Later
		}
		pairs = append(pairs, pair)
	}
	if len(pairs) == 0 {
		card.SkipCheck(t, what, noTime(2*one, time.Until(end)))
		return
	}
	slices.SortFunc(pairs, func(a, b [2]float64) int { return cmp.Compare(a[0]/a[1], b[0]/b[1]) })
	kept, fresh := pairs[len(pairs)/2][0], pairs[len(pairs)/2][1]
	seen := fmt.Sprintf("%.4f s kept, %.4f s anew", kept, fresh)
	figure := r.figure("%.3f × (%d pairs of %d segments)", kept/fresh, len(pairs), segments)
	switch {
	case kept <= 0 || fresh <= 0:
		card.CheckThat(t, false, what, "times above 0", seen, figure)
	case r.card.Real():
		card.CheckThat(t, kept < fresh, what, "kept is faster", seen, figure)
	default:
		card.RecordCheck(t, what, seen, figure)
	}
}
