package split

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/netlab"
)

// newUnpaid is a world without a chain, for what has nothing to do with money: an
// orchestrator, a gateway, and transcoders on hosts of their own.
func newUnpaid(t *testing.T, rigs int, link netlab.Link) *world {
	t.Helper()
	w := &world{T: t, lab: netlab.New(t)}
	w.orchestrator = newMachine(t, w.lab, "orch")
	o := w.orchestrator
	o.args = append(o.args, "-orchestrator", "-orchSecret", secret, "-serviceAddr", w.service(), "-maxSessions", "1000")
	o.start()
	for i := range rigs {
		name := fmt.Sprintf("rig%d", i+1)
		m := newMachine(t, w.lab, name, "-transcoder", "-orchAddr", w.service(), "-orchSecret", secret,
			"-workerName", name, "-maxSessions", "8", "-testTranscoder=false")
		w.lab.Link(o.host, m.host, link)
		m.start()
		w.rigs = append(w.rigs, m)
	}
	for _, m := range w.rigs {
		w.registered(m)
	}
	return w
}

// service is the orchestrator's address.
func (w *world) service() string { return w.orchestrator.host.Addr.String() + ":8935" }

// withGateway adds a gateway.
func (w *world) withGateway() *world {
	w.Helper()
	w.gateway = newMachine(w.T, w.lab, "gate", "-gateway", "-orchAddr", w.service(), "-httpAddr", "127.0.0.1:9935",
		"-transcodingOptions", "P144p30fps16x9,P240p30fps16x9")
	w.gateway.start()
	return w
}

// video runs streams in real time, and nothing else.
func (w *world) video() *traffic {
	w.Helper()
	segs := segments(w.T, 4)
	ctx, stop := context.WithCancel(context.Background())
	tr := &traffic{stop: stop}
	w.Cleanup(func() { stop(); tr.wg.Wait() })
	for i := range streams {
		tr.wg.Go(func() { tr.video(ctx, w.gateway, i, segs) })
	}
	return tr
}

// workerSet is many transcoder processes on one host.
type workerSet struct {
	w     *world
	host  *netlab.Host
	procs []*harness.Process
}

// add starts one more.
func (c *workerSet) add() {
	n := len(c.procs)
	command := c.host.Command(c.w.Context(), filepath.Join(bin, "tutti"), "-transcoder", "-orchAddr", c.w.service(),
		"-orchSecret", secret,
		"-workerName", fmt.Sprintf("many%d", n), "-maxSessions", "8", "-testTranscoder=false",
		"-dataDir", c.w.TempDir(), "-cliAddr", fmt.Sprintf("127.0.0.1:%d", 10_000+n))
	c.procs = append(c.procs, harness.Start(c.w.T, command.Path, command.Args[1:]...))
}

// attempts is how often they have tried to register.
func (c *workerSet) attempts() (n int) {
	for _, p := range c.procs {
		n += strings.Count(p.Log(), "Registering transcoder to")
	}
	return n
}
