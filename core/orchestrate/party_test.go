package orchestrate_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// What segments do to workers is remembered by the account that signed for them,
// off-chain by where they come from: names that a peer gives itself do not count.
func TestThePartyOfASegment(t *testing.T) {
	t.Parallel()
	var got string
	remember := func(o *orchestrate.Options) {
		o.Transcoder = transcoder(func(j *core.TranscodeJob) (*core.TranscodeResult, error) {
			got = j.Party
			return &core.TranscodeResult{Renditions: make([]core.Rendition, 2)}, nil
		})
	}
	send := func(n *node, req orchestrate.SegmentRequest) {
		t.Helper()
		seg, err := n.Admit(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		defer seg.Close()
		_, _ = seg.Transcode(t.Context(), []byte("segment"))
	}
	for from, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "": "",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64",
	} {
		n := newNode(t, remember)
		req := request(n.token())
		req.From, req.Sender = from, core.Address{1}
		if send(n, req); got != want {
			t.Errorf("from %q: %q, want %q", from, got, want)
		}
	}
	n := newNode(t, remember, func(o *orchestrate.Options) { o.Payments, o.Signatures = paying(), signatures{} })
	req := paidRequest(n.payerToken(), 1)
	req.From = "192.0.2.7"
	if send(n, req); got != req.Sender.String() {
		t.Errorf("with a signature: %q", got)
	}
}

// TestThePartyOfAJob: jobs are held against the same.
func TestThePartyOfAJob(t *testing.T) {
	t.Parallel()
	n, _ := aiNode(t, ready(1))
	credentials := jobRequest(t, n.token()).Credentials
	for from, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
	} {
		credentials.From = from
		sender, err := n.CheckJob(credentials)
		if err != nil {
			t.Fatal(err)
		}
		if got := sender.Party(); got != want {
			t.Errorf("from %q: %q, want %q", from, got, want)
		}
	}
}
