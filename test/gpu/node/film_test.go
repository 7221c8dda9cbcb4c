package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/pushclient"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// pushTime bounds the answer to a segment. It is longer than a gateway's own limits, so
// that its reason is read.
const pushTime = 45 * time.Second

// outcome is what became of a segment.
type outcome struct {
	number int
	// begun is when it was pushed, took how long its answer took.
	begun time.Time
	took  time.Duration
	err   error
}

// refused reports whether it was refused for want of room, in place of failing: by the
// gateway, or by the node when the GPU had less than was thought.
func (o outcome) refused() bool {
	return o.err != nil && (strings.Contains(o.err.Error(), " 503 ") ||
		strings.Contains(o.err.Error(), "OrchestratorCapped"))
}

// outcomes are those of one or several streams.
type outcomes []outcome

// errs are the failures, nil for none.
func (all outcomes) errs() error {
	var list []error
	for _, o := range all {
		if o.err != nil {
			list = append(list, fmt.Errorf("segment %d: %w", o.number, o.err))
		}
	}
	return errors.Join(list...)
}

// failed is how many failed, refused ones included.
func (all outcomes) failed() (n int) {
	for _, o := range all {
		if o.err != nil {
			n++
		}
	}
	return n
}

// times are the median and the slowest of the answers.
func (all outcomes) times() (median, slowest time.Duration) {
	var took []time.Duration
	for _, o := range all {
		if o.err == nil {
			took = append(took, o.took)
		}
	}
	if len(took) == 0 {
		return 0, 0
	}
	slices.Sort(took)
	return took[len(took)/2], took[len(took)-1]
}

// inOrder is all of them in the order of their answers.
func (all outcomes) inOrder() outcomes {
	return slices.SortedFunc(slices.Values(all),
		func(a, b outcome) int { return a.begun.Add(a.took).Compare(b.begun.Add(b.took)) })
}

// film is a stream that is pushed as a camera does, each segment when it is over.
type film struct {
	r    *rig
	name string
	over context.CancelFunc
	// ended is closed when the last segment is answered.
	ended chan struct{}

	mu   sync.Mutex
	done outcomes // guarded by mu
}

// film begins a stream of so many segments, or goes on with it; 0 are as many as come
// until it is stopped. A node keeps a stream's session, and its encoders, for a minute
// after the last segment, so that tests use the same few streams again.
func (r *rig) film(name string, count int) *film {
	ctx, cancel := context.WithCancel(r.Context())
	f := &film{r: r, name: name, over: cancel, ended: make(chan struct{})}
	go func() {
		defer close(f.ended)
		defer cancel()
		f.run(ctx, count)
	}()
	r.Cleanup(func() {
		cancel()
		<-f.ended
	})
	return f
}

func (f *film) run(ctx context.Context, count int) {
	next := time.Now()
	for i := 0; (count == 0 || i < count) && ctx.Err() == nil; i++ {
		timer := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		next = next.Add(f.r.form.source.Segment)
		o := f.r.send(f.name)
		f.mu.Lock()
		f.done = append(f.done, o)
		f.mu.Unlock()
	}
}

// so is what has become of the stream so far.
func (f *film) so() outcomes {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.done)
}

// answered waits until so many segments have been answered, or failed.
func (f *film) answered(count int) bool {
	_, ok := f.r.within(pushTime+time.Duration(count)*f.r.form.source.Segment, func() bool {
		return len(f.so()) >= count
	})
	return ok
}

// stop ends the stream after the current segment.
func (f *film) stop() outcomes {
	f.over()
	<-f.ended
	return f.so()
}

// wait waits until all segments are answered.
func (f *film) wait() outcomes {
	<-f.ended
	return f.so()
}

// numbers are the streams' next segments.
type numbers struct {
	mu   sync.Mutex
	next map[string]int // guarded by mu
}

func (n *numbers) of(stream string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next[stream]++
	return n.next[stream] - 1
}

// send pushes a stream's next segment and looks at every rendition of it.
func (r *rig) send(stream string) outcome {
	number := r.numbers.of(stream)
	o := outcome{number: number, begun: time.Now()}
	ctx, cancel := context.WithTimeout(context.Background(), pushTime)
	defer cancel()
	s := r.segments[number%len(r.segments)]
	a, err := pushclient.Push(ctx, harness.Client(), "http://"+r.gateway, pushclient.Segment{
		Stream: stream, File: fmt.Sprintf("%d.ts", number), Data: s.Data, Duration: s.Duration,
	})
	o.took, o.err = time.Since(o.begun), err
	if err == nil {
		o.err = r.verify(ctx, a.Renditions, s.Frames)
	}
	return o
}

// verify looks whether renditions are what was asked for: all frames in the right size,
// the first a key frame.
func (r *rig) verify(ctx context.Context, got []harness.Rendition, frames int) error {
	if len(got) != len(r.profiles) {
		return fmt.Errorf("%d renditions, not %d", len(got), len(r.profiles))
	}
	for i, p := range r.profiles {
		if err := verifyRendition(ctx, got[i].Data, p, frames); err != nil {
			return fmt.Errorf("rendition %s: %w", p.Name, err)
		}
	}
	return nil
}

func verifyRendition(ctx context.Context, data []byte, p core.Profile, frames int) error {
	report, err := libav.Inspect(ctx, data)
	if err != nil {
		return err
	}
	v := report.Video
	switch {
	case v == nil || len(v.Frames) == 0:
		return errors.New("no video")
	case len(v.Frames) != frames:
		return fmt.Errorf("%d frames, not %d", len(v.Frames), frames)
	case !v.Frames[0].Key:
		return errors.New("its first frame is no key frame")
	}
	for i, f := range v.Frames {
		if f.Width != p.Width || f.Height != p.Height {
			return fmt.Errorf("frame %d is %dx%d, not %s", i, f.Width, f.Height, p.Resolution())
		}
	}
	return nil
}

// admitted begins streams one after another, until the node takes no more or there are
// enough: how many a CPU core bears that encodes for the GPU, or plays it, is not known
// before.
func (r *rig) admitted(most int) (names []string) {
	r.Helper()
	var last outcome
	for i := range most {
		name := fmt.Sprintf("stream%d", i)
		if last = r.send(name); last.err != nil {
			break
		}
		names = append(names, name)
	}
	least, why := 1, "at least one"
	if r.card.Real() && r.card.Encodes {
		least, why = most, "all, the GPU encodes by itself"
	}
	seen := fmt.Sprintf("%d of %d", len(names), most)
	if last.err != nil {
		seen += ": " + cut(last.err.Error())
	}
	ok := len(names) >= least && (last.err == nil || last.refused())
	card.CheckThat(r, ok, "streams that the node takes at once", why+", others refused by name", seen,
		fmt.Sprintf("%d streams", len(names)))
	return names
}

// films goes on with streams in real time.
func (r *rig) films(names []string, count int) (all []*film) {
	for _, name := range names {
		all = append(all, r.film(name, count))
	}
	return all
}

// spare reports whether the GPU has room for another stream: an encoder for each
// rendition, and time.
func (r *rig) spare() bool {
	w := r.look()
	if w == nil {
		return false
	}
	limit := int(r.tested()["encoders"])
	return (limit == 0 || limit-w.Encoders >= len(r.profiles)) && !r.capped()
}

// capped reports whether the node takes no more streams by what it has measured.
func (r *rig) capped() bool {
	var page adminapi.Dashboard
	if r.read(adminapi.PathDashboard, &page) != nil {
		return false
	}
	for _, d := range page.Gate.WorkKinds {
		if d.Name == "video" {
			return !d.Open && d.Code == "OrchestratorCapped"
		}
	}
	return false
}

// paced reports whether the last refusal in the log since a place in it was for want of
// time: the CPU that plays a GPU is now and then busy with other tests.
func (r *rig) paced(since int) bool {
	text := r.proc.Log()[since:]
	at := strings.LastIndex(text, "request refused code=")
	return at >= 0 && strings.Contains(text[at:], "would bring the real-time ratio")
}

// noSpare is why nothing can be said of a new stream.
const noSpare = "the node has measured that the GPU bears no more streams than it has"

// taken tries a stream until the node takes it, and reports how long that took.
func (r *rig) taken(name string, limit time.Duration) (last outcome, took time.Duration) {
	begun := time.Now()
	tick := time.NewTicker(r.form.source.Segment / 2)
	defer tick.Stop()
	for {
		if last = r.send(name); last.err == nil || time.Since(begun) > limit {
			return last, time.Since(begun)
		}
		<-tick.C
	}
}

// whole checks that all segments of streams came back as they should.
func (r *rig) whole(what string, all outcomes) bool {
	r.Helper()
	seen := fmt.Sprintf("%d segments, %d failed", len(all), all.failed())
	if err := all.errs(); err != nil {
		seen += ": " + cut(err.Error())
	}
	median, slowest := all.times()
	ok := len(all) > 0 && all.failed() == 0
	card.CheckThat(r, ok, what,
		fmt.Sprintf("every segment with %d renditions of the right size and frames, a key frame first",
			len(r.profiles)),
		seen, fmt.Sprintf("median %s, slowest %s", milliseconds(median), milliseconds(slowest)))
	return ok
}

// cut makes a long text fit for a report.
func cut(text string) string {
	const most = 600
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		return text[:most] + " …"
	}
	return text
}
