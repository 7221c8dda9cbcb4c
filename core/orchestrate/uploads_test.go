package orchestrate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// TestUploadsOfAGateway: there are few bodies at once of one session, and of all new
// sessions of one gateway; those of others do not count.
func TestUploadsOfAGateway(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(o *orchestrate.Options) { o.Limit = 1000 })
	tok := n.token()
	send := func(tok *orchestrate.Token, from string) (*orchestrate.Segment, error) {
		req := request(tok)
		req.From = from
		return n.Admit(t.Context(), req)
	}
	var open []*orchestrate.Segment
	for range 8 {
		seg, err := send(tok, "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, seg)
	}
	_, err := send(tok, "192.0.2.1")
	wantCode(t, err, fault.GatewayUploadsFull)
	if got := fault.Wire(err); got != "OrchestratorBusy" {
		t.Errorf("gateways get %q", got)
	}
	for len(open) < 128 {
		seg, err := send(n.token(), "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, seg)
	}
	_, err = send(n.token(), "192.0.2.1")
	wantCode(t, err, fault.GatewayUploadsFull)
	other, err := send(n.token(), "192.0.2.2")
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
	open[0].Close()
	open[0].Close()
	seg, err := send(tok, "192.0.2.1")
	if err != nil {
		t.Fatalf("after one has ended: %v", err)
	}
	for _, seg := range append(open, seg) {
		seg.Close()
	}
	if got := n.Usage().Sessions; got != 0 {
		t.Errorf("%d sessions are left", got)
	}
}

// TestSessionsThatWork: bodies of sessions that had a segment transcoded are bounded by
// session alone.
func TestSessionsThatWork(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(o *orchestrate.Options) { o.Limit = 1000 })
	for i := range 130 {
		tok := n.token()
		for number := range core.SegmentNumber(2) {
			req := request(tok)
			req.Number = number
			seg, err := n.Admit(t.Context(), req)
			if err != nil {
				t.Fatalf("session %d: %v", i, err)
			}
			if number > 0 {
				defer seg.Close()
				break
			}
			if _, err := seg.Transcode(t.Context(), []byte("segment")); err != nil {
				t.Fatal(err)
			}
			seg.Close()
		}
	}
}

// TestWrongHashes: bodies with a wrong hash are unbilled work of the gateway at one
// peer; what others send with its headers is not held against the gateway itself.
func TestWrongHashes(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	n := newNode(t, func(o *orchestrate.Options) { o.Now = func() time.Time { return now } })
	tok := n.token()
	wrong := func(from string) error {
		req := request(tok)
		req.From = from
		seg, err := n.Admit(t.Context(), req)
		if err != nil {
			return err
		}
		defer seg.Close()
		wantCode(t, seg.CheckHash([]byte("another")), fault.SegmentHashMismatch)
		return nil
	}
	for i := range 5 {
		if err := wrong(fmt.Sprintf("2001:db8::%d", i)); err != nil {
			t.Fatalf("wrong hash %d: %v", i, err)
		}
	}
	wantCode(t, wrong("2001:db8::9"), fault.InputKeepsFailing)
	if err := wrong("192.0.2.1"); err != nil {
		t.Errorf("elsewhere: %v", err)
	}
	if now = now.Add(10 * time.Minute); wrong("2001:db8::9") != nil {
		t.Error("never forgotten")
	}
}
