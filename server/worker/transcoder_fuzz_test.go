package worker_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/coretest"
)

// FuzzNotice gives the client whatever an orchestrator may send: it answers, or
// ignores it, and what it gives to its transcoder is a job. After each there is a good
// one, which must come through.
func FuzzNotice(f *testing.F) {
	for _, n := range []*rpc.NotifySegment{
		{}, {Cancel: true, TaskId: -1}, {Url: "http://[::1"}, {Input: []byte("media")},
		segment(3, "s", "", func(n *rpc.NotifySegment) {
			n.Input, n.OrchId, n.DeadlineMs = []byte("media"), "0x\x00 \u2028",
				1<<62
		}),
		segment(3, "s", "", func(n *rpc.NotifySegment) { n.Input, n.SegData.Duration = []byte("media"), -1 }),
		segment(3, "s", "", func(n *rpc.NotifySegment) { n.Input, n.SegData.FullProfiles2 = []byte("media"), nil }),
		{SegData: &rpc.SegData{AuthToken: &rpc.AuthToken{SessionId: "s"}}},
	} {
		b, err := proto.Marshal(n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	o := newNetwork(f, "tutti/0.9.1")
	var bad atomic.Pointer[core.TranscodeJob]
	start(f, &coretest.Fake{On: func(_ context.Context, _ int, j *core.TranscodeJob) error {
		if j.Session == "" || len(j.Input) == 0 || j.Duration <= 0 || j.Origin == "" {
			bad.Store(j)
		}
		return nil
	}}, nil, o.addr)
	d := transcoderNext(f, o.registrations, "no registration")
	good := int64(1 << 62)
	f.Fuzz(func(t *testing.T, b []byte) {
		n := new(rpc.NotifySegment)
		if proto.Unmarshal(b, n) != nil {
			return
		}
		n.Url = "" // nothing is fetched from wherever
		d.send(t, n)
		good++
		d.send(t, segment(good, "good", "", func(n *rpc.NotifySegment) { n.Input = []byte("media") }))
		for {
			got := transcoderNext(t, o.results, "the good one does not come through")
			if got.header.Get("TaskId") == strconv.FormatInt(good, 10) && len(got.parts) == 2 {
				break
			}
		}
		if j := bad.Load(); j != nil {
			t.Errorf("job %+v", j)
		}
	})
}
