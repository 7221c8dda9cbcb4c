package scale_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// puppet is a transcoder on another machine, without the machine.
type puppet struct {
	name string
	lost atomic.Bool
	done atomic.Int64
}

// rendition is what a puppet makes of everything.
var rendition = make([]byte, core.MinRenditionBytes)

func (s *puppet) Device() string            { return s.name }
func (s *puppet) Close() error              { return nil }
func (s *puppet) EndSession(core.SessionID) {}

func (s *puppet) Transcode(_ context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	if s.lost.Load() {
		return nil, fault.New(fault.WorkerReplaced, "transcode", "the connection broke")
	}
	s.done.Add(1)
	res := &core.TranscodeResult{SourceDuration: job.Duration, Worker: s.name}
	for range job.Profiles {
		res.Renditions = append(res.Renditions, core.Rendition{Data: rendition, Frames: 1, Pixels: 1})
	}
	return res, nil
}

// cluster is a pool with its transcoders.
type cluster struct {
	*pool.Pool
	random *rand.Rand
	// all are those that are attached, capacity is theirs.
	all      []*worker
	capacity int
	// named counts those that were ever attached.
	named int
}

type worker struct {
	*puppet
	at       device.Attachment
	sessions int
}

// kinds are the releases and abilities that transcoders have.
var kinds = []capability.Capabilities{
	capability.Offer(capability.Of(0, 1, 2), "0.8.5"),
	capability.Offer(capability.Of(0, 1, 2), "0.9.1"),
	capability.Offer(capability.Of(0, 1, 2, capability.HEVCDecode), "0.9.1"),
}

func newCluster(tb testing.TB, workers int) *cluster {
	tb.Helper()
	c := &cluster{Pool: pool.New(nil, pool.Options{}), random: rand.New(rand.NewPCG(1, uint64(workers)))}
	tb.Cleanup(func() { _ = c.Close() })
	for range workers {
		c.attach(tb)
	}
	return c
}

// attach adds a transcoder with room for 8 to 16 sessions.
func (c *cluster) attach(tb testing.TB) {
	tb.Helper()
	w := &worker{puppet: &puppet{name: fmt.Sprint("rig", c.named)}, sessions: 8 + c.random.IntN(9)}
	c.named++
	var err error
	w.at, err = c.Attach(w.puppet, device.Resources{
		Remote: true, Sessions: w.sessions, Capabilities: kinds[c.random.IntN(len(kinds))],
	})
	if err != nil {
		tb.Fatal(err)
	}
	c.all = append(c.all, w)
	c.capacity += w.sessions
}

// fail takes a transcoder away without a word: at first its segments fail, and only
// then is it detached.
func (c *cluster) fail() *worker {
	i := c.random.IntN(len(c.all))
	w := c.all[i]
	c.all[i] = c.all[len(c.all)-1]
	c.all = c.all[:len(c.all)-1]
	c.capacity -= w.sessions
	w.lost.Store(true)
	return w
}

var ladder = []core.Profile{
	{Name: "720p", Width: 1280, Height: 720}, {Name: "480p", Width: 854, Height: 480},
	{Name: "360p", Width: 640, Height: 360},
}

func request(n int) core.SessionRequest {
	return core.SessionRequest{ID: core.SessionID(fmt.Sprintf("%08x", n)), Profiles: ladder, Needs: capability.Of(0, 1)}
}

// send sends a segment of a session.
func (c *cluster) send(id core.SessionID) error {
	r := request(0)
	_, err := c.Transcode(context.Background(), &core.TranscodeJob{
		Session: id, Input: rendition, Duration: 2 * time.Second, Profiles: r.Profiles, Needs: r.Needs,
	})
	return err
}

// sendAll sends a segment of each session from many sides at once and returns how many
// failed, and one of the reasons.
func (c *cluster) sendAll(ids []core.SessionID) (failed int64, reason error) {
	var wg sync.WaitGroup
	var lost atomic.Int64
	var why atomic.Pointer[error]
	const sides = 16
	for side := range sides {
		wg.Go(func() {
			for i := side; i < len(ids); i += sides {
				if err := c.send(ids[i]); err != nil {
					lost.Add(1)
					why.Store(&err)
				}
			}
		})
	}
	wg.Wait()
	if p := why.Load(); p != nil {
		reason = *p
	}
	return lost.Load(), reason
}

// perSearch is how many nodes a placement looked at on average since before.
func (c *cluster) perSearch(before pool.PlacementStats) float64 {
	now := c.PlacementStats()
	return float64(now.Visited-before.Visited) / float64(now.Searches-before.Searches)
}
