package orchestrate_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/test/coretest"
)

const serviceURI = "https://node.example:8935"

// node is an orchestrator over a fake transcoder.
type node struct {
	*orchestrate.Orchestrator
	t    *testing.T
	clk  *coretest.Clock
	fake *coretest.Fake
}

func newNode(t *testing.T, change ...func(*orchestrate.Options)) *node {
	t.Helper()
	clk, fake := coretest.NewClock(time.Unix(1_700_000_000, 0)), &coretest.Fake{}
	opt := orchestrate.Options{
		ServiceURI: serviceURI,
		Capabilities: func() capability.Capabilities {
			return capability.Offer(capability.Default(), "0.9.1")
		},
		Transcoder: fake, Limit: 2,
		Now: clk.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	}
	for _, f := range change {
		f(&opt)
	}
	o, err := orchestrate.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, v := range fake.Violations() {
			t.Error(v)
		}
	})
	return &node{Orchestrator: o, t: t, clk: clk, fake: fake}
}

// token is a fresh offer's.
func (n *node) token() *orchestrate.Token {
	n.t.Helper()
	in, err := n.Offer(context.Background(), orchestrate.OfferRequest{})
	if err != nil {
		n.t.Fatal(err)
	}
	return &in.Token
}

var ladder = []core.Profile{
	{Name: "P720p30fps16x9", Width: 1280, Height: 720},
	{Name: "P360p30fps16x9", Width: 640, Height: 360, Format: core.FormatMP4},
}

func request(tok *orchestrate.Token) orchestrate.SegmentRequest {
	return orchestrate.SegmentRequest{
		Manifest: "stream", Number: 7, Duration: 2 * time.Second, Profiles: ladder, Token: tok,
	}
}

// admit admits a segment that must be admitted.
func (n *node) admit(tok *orchestrate.Token) *orchestrate.Segment {
	n.t.Helper()
	seg, err := n.Admit(context.Background(), request(tok))
	if err != nil {
		n.t.Fatal(err)
	}
	return seg
}

// send is a whole segment that must succeed.
func (n *node) send(tok *orchestrate.Token) *orchestrate.Finished {
	n.t.Helper()
	seg := n.admit(tok)
	defer seg.Close()
	done, err := seg.Transcode(context.Background(), []byte("segment"))
	if err != nil {
		n.t.Fatal(err)
	}
	return done
}

func wantCode(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if err == nil || fault.CodeOf(err) != want {
		t.Fatalf("got %v, want %s", err, want)
	}
}

func (n *node) wantSessions(want int) {
	n.t.Helper()
	if got := n.Usage().Sessions; got != want {
		n.t.Fatalf("%d sessions, want %d", got, want)
	}
}
