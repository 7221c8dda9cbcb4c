package worker_test

import (
	"context"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/coretest"
)

// parties records the parties for which segments are transcoded.
type parties struct {
	mu   sync.Mutex
	seen []string
}

func (p *parties) fake() *coretest.Fake {
	return &coretest.Fake{On: func(_ context.Context, _ int, j *core.TranscodeJob) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.seen = append(p.seen, j.Party)
		return nil
	}}
}

// What a segment does to a transcoder's media workers is held against the gateway that sent
// it, also on another machine, and against no other one: not
// of the same orchestrator.
func TestPartiesAreToldApart(t *testing.T) {
	t.Parallel()
	o := newOwn(t)
	var p parties
	start(t, p.fake(), nil, o.addr)
	d := transcoderNext(t, o.devices, "no registration")
	for i, party := range []string{"192.0.2.7", "192.0.2.8", "192.0.2.7", ""} {
		j := job("s", int64(i), []byte("media"))
		j.Party = party
		if _, err := d.Transcode(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	if p := p.seen; p[0] == p[1] || p[0] != p[2] || p[0] == "192.0.2.7" || p[3] != "" {
		t.Errorf("seen %q", p)
	}
}

// An orchestrator's name for a gateway is its own.
func TestPartiesOfTwoOrchestrators(t *testing.T) {
	t.Parallel()
	first, second := newNetwork(t, "tutti/0.9.1"), newNetwork(t, "tutti/0.9.1")
	var p parties
	start(t, p.fake(), nil, first.addr, second.addr)
	for i, o := range []*network{first, second} {
		n := segment(int64(i), "s", o.input("/in", "media"))
		n.Party = "the same"
		transcoderNext(t, o.registrations, "no registration").send(t, n)
		transcoderNext(t, o.results, "no result")
	}
	if p := p.seen; len(p) != 2 || p[0] == p[1] || p[0] == "" {
		t.Errorf("seen %q", p)
	}
}

// An orchestrator that is on this machine leads its transcoder to no address that a cloud
// has for this machine alone.
func TestMetadataIsNotFetched(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "")
	start(t, new(coretest.Fake), nil, o.addr)
	d := transcoderNext(t, o.registrations, "no registration")
	d.send(t, segment(1, "s", "http://169.254.169.254/latest/meta-data"))
	got := transcoderNext(t, o.results, "no result")
	if got.text != "cannot fetch the segment: its address is not one that its "+
		"orchestrator may name" {
		t.Errorf("result %+v", got)
	}
}
