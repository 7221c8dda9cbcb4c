package overload

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/pushclient"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

var (
	lasts    = flag.Duration("overload.for", 12*time.Second, "how long the streams are pushed")
	sessions = flag.String("overload.sessions", "auto", "what the orchestrator has as -maxSessions")
	long     = time.Minute
)

const (
	// mostStreams bounds the load: each holds some segments in memory.
	mostStreams = 24
	// joining is the time between two streams that begin.
	joining = time.Second
	// atOnce is how long a refusal may take on a busy machine: less than a segment has.
	atOnce = 6 * time.Second
	ladder = "P360p30fps16x9,P240p30fps16x9"
)

var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(harness.Main(harness.Node(&binary), m.Run))
}

// stream is one encoder.
type stream struct {
	name, gateway string
	mu            sync.Mutex
	// sent, done and lost count its segments after the first that was transcoded; refused
	// those before it.
	sent, done, lost, refused int
	admitted                  bool
	slowRefusal               time.Duration
	texts                     map[string]int
}

func TestTwiceTheCapacity(t *testing.T) {
	o := startOrchestrator(t)
	gateways := []string{startGateway(t, o.addr), startGateway(t, o.addr)}
	segs := segments(t)
	ctx, cancel := context.WithTimeout(t.Context(), *lasts)
	defer cancel()
	var streams []*stream
	var wg sync.WaitGroup
	tick := time.NewTicker(joining)
	defer tick.Stop()
	for ctx.Err() == nil {
		if n := len(streams); n < mostStreams && !twice(streams) {
			s := &stream{name: fmt.Sprintf("s%d", n), gateway: gateways[n%2], texts: map[string]int{}}
			streams = append(streams, s)
			wg.Go(func() { s.push(ctx, segs) })
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	wg.Wait()
	checkStreams(t, streams, o)
}

// twice reports whether as many streams were refused as are served.
func twice(streams []*stream) bool {
	served, refused := 0, 0
	for _, s := range streams {
		s.mu.Lock()
		if s.admitted {
			served++
		} else if s.refused > 0 {
			refused++
		}
		s.mu.Unlock()
	}
	return served > 0 && refused >= served
}

func checkStreams(t *testing.T, streams []*stream, o orchestrator) {
	t.Helper()
	served, refused, sent, lost := 0, 0, 0, 0
	for _, s := range streams {
		t.Logf("%s at %s: admitted %v, %d sent, %d done, %d lost, %d refused, slowest refusal %v %v",
			s.name, s.gateway, s.admitted, s.sent, s.done, s.lost, s.refused, s.slowRefusal.Round(time.Millisecond), s.texts)
		if !s.admitted {
			refused++
			continue
		}
		served++
		sent, lost = sent+s.sent, lost+s.lost
		if *lasts >= long && s.slowRefusal > atOnce {
			t.Errorf("%s was refused after %v", s.name, s.slowRefusal)
		}
	}
	works, again := o.worked()
	t.Logf("%d streams are served, %d refused; of %d segments of those served %d were lost; %d were transcoded, %d of "+
		"them again",
		served, refused, sent, lost, works, again)
	if served == 0 || works == 0 {
		t.Error("nothing was served")
	}
	if again > 0 {
		t.Errorf("%d segments were worked on twice", again)
	}
	if *lasts >= long && (refused == 0 || lost*100 > sent) {
		t.Errorf("%d refused, %d of %d lost", refused, lost, sent)
	}
}

// push sends a segment as often as it plays, and waits for each as an encoder does that
// pushes several at once.
func (s *stream) push(ctx context.Context, segs []clip.Segment) {
	var wg sync.WaitGroup
	defer wg.Wait()
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for n := 0; ctx.Err() == nil; n++ {
		wg.Go(func() { s.one(n, segs[n%len(segs)]) })
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

func (s *stream) one(n int, seg clip.Segment) {
	begin := time.Now()
	a, err := pushclient.Push(context.Background(), harness.Client(), s.gateway, pushclient.Segment{
		Stream: s.name, File: fmt.Sprintf("%d.ts", n), Data: seg.Data, Duration: seg.Duration,
	})
	took := time.Since(begin)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && len(a.Renditions) != 2 {
		err = fmt.Errorf("%d renditions", len(a.Renditions))
	}
	switch {
	case err == nil:
		s.admitted = true
		s.sent, s.done = s.sent+1, s.done+1
	case s.admitted:
		s.sent, s.lost = s.sent+1, s.lost+1
		s.texts[err.Error()]++
	default:
		s.refused++
		s.slowRefusal = max(s.slowRefusal, took)
		s.texts[err.Error()]++
	}
}

type orchestrator struct {
	addr string
	proc *harness.Process
}

// work is a segment that was transcoded, or begun: not one that was refused for want of time.
var work = regexp.MustCompile(`role=orchestrator manifestID=(\S+) .*?seqNo=(\d+)`)

// worked counts the segments that the orchestrator worked on, and those that it was given
// more than once.
func (o orchestrator) worked() (all, again int) {
	seen := map[string]int{}
	for line := range strings.Lines(o.proc.Log()) {
		if m := work.FindStringSubmatch(line); m != nil && !strings.Contains(line, "code=TranscoderBehind") {
			all++
			if seen[m[1]+"/"+m[2]]++; seen[m[1]+"/"+m[2]] > 1 {
				again++
			}
		}
	}
	return all, again
}

func startOrchestrator(t *testing.T) orchestrator {
	t.Helper()
	addr := harness.Address(t)
	p := harness.Start(t, binary, "-orchestrator", "-transcoder", "-serviceAddr", addr, "-httpAddr", addr,
		"-cliAddr", harness.Address(t), "-maxSessions", *sessions, "-v", "4", "-dataDir", filepath.Join(t.TempDir(), "o"))
	p.WaitHTTP("https://" + addr + "/healthz")
	return orchestrator{addr, p}
}

func startGateway(t *testing.T, orch string) string {
	t.Helper()
	addr := harness.Address(t)
	p := harness.Start(t, binary, "-gateway", "-orchAddr", orch, "-httpAddr", addr, "-cliAddr", harness.Address(t),
		"-transcodingOptions", ladder, "-v", "2", "-dataDir", filepath.Join(t.TempDir(), "g"))
	p.WaitHTTP("http://" + addr + "/healthz")
	return "http://" + addr
}

// segments are of 2 s of 720p.
func segments(t *testing.T) []clip.Segment {
	t.Helper()
	out, err := clip.GenerateAll(t.Context(), clip.Options{Width: 1280, Height: 720, FPSNum: 30, FPSDen: 1,
		Segments: 3, Bitrate: 3_000_000, Segment: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
