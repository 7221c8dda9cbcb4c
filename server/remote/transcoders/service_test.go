package transcoders_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote/transcoders"
	"github.com/tuttinode/tutti/server/rpc"
)

// answer is what Transcode returned.
type answer struct {
	res *core.TranscodeResult
	err error
}

func transcode(t testing.TB, a *attachment, job *core.TranscodeJob) <-chan answer {
	ch := make(chan answer, 1)
	go func() {
		res, err := a.Transcode(t.Context(), job)
		ch <- answer{res, err}
	}()
	return ch
}

func await[T any](t testing.TB, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

func TestASegmentIsTranscoded(t *testing.T) {
	t.Parallel()
	for _, throughGRPC := range []bool{false, true} {
		t.Run(fmt.Sprint("through gRPC ", throughGRPC), func(t *testing.T) {
			n := &node{throughGRPC: throughGRPC, requestTime: time.Second}
			n.start(t)
			threeSegments(t, n)
		})
	}
}

func threeSegments(t *testing.T, n *node) {
	c := register(t, n, plain())
	a := n.next(t)
	offer, _ := a.state()
	if offer.Sessions != 10 || !offer.Remote || offer.Capabilities.Version != "" ||
		!capability.Default().In(offer.Capabilities.Bits) || offer.Capabilities.Units(0) != 1 {
		t.Errorf("offered %+v", offer)
	}
	if a.Device.Device() != "127.0.0.1" {
		t.Errorf("called %q", a.Device.Device())
	}
	// The registration outlasts the listener's time for a request.
	if _, _, err := c.fetch(n.url + "/slow"); err == nil {
		t.Error("the listener has no time for a request")
	}
	for id := range int64(3) {
		job := segment("s", 7)
		got := transcode(t, a, job)
		m := c.notice(t)
		if m.GetTaskId() != id || len(m.GetInput()) != 0 || m.GetDeadlineMs() != 0 || m.GetCancel() {
			t.Errorf("told %v", m)
		}
		data, code, err := c.fetch(m.GetUrl())
		if code != 200 || string(data) != string(job.Input) {
			t.Errorf("fetched %d bytes, status %d, %v", len(data), code, err)
		}
		c.succeed(t, m)
		x := await(t, got)
		if x.err != nil {
			t.Fatal(x.err)
		}
		r := x.res
		if len(r.Renditions) != 2 || string(r.Renditions[1].Data) != goodParts()[1].data || r.Renditions[0].Pixels != 100 ||
			r.Renditions[1].Pixels != 200 || r.DecodedPixels != 12345 || r.Worker != "127.0.0.1" {
			t.Errorf("result %+v", r)
		}
		if _, code, _ := c.fetch(m.GetUrl()); code != 404 {
			t.Errorf("after the task the segment can still be fetched: %d", code)
		}
	}
	a.EndSession("s")
	if m := c.notice(t); m.GetUrl() != "" || m.GetSegData().GetAuthToken().GetSessionId() != "s" {
		t.Errorf("told %v", m)
	}
}

// vectors are recorded messages.
func vectors(t testing.TB) map[string][]byte {
	t.Helper()
	data, err := os.ReadFile("../../../test/vectors/protobuf_messages.json")
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]string
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]byte)
	for k, v := range raw {
		if b, err := hex.DecodeString(strings.TrimPrefix(v, "0x")); err == nil {
			out[k] = b
		}
	}
	return out
}

func TestVectors(t *testing.T) {
	t.Parallel()
	v := vectors(t)
	n := start(t)
	req := new(rpc.RegisterRequest)
	if err := proto.Unmarshal(v["register_request_transcoder"], req); err != nil {
		t.Fatal(err)
	}
	c := register(t, n, req)
	a := n.next(t)
	if o, _ := a.state(); o.Sessions != 10 || o.Capabilities.Version != "0.9.1" || o.Capabilities.Units(26) != 1 {
		t.Errorf("offer %+v", o)
	}

	want := new(rpc.NotifySegment)
	if err := proto.Unmarshal(v["notify_segment"], want); err != nil {
		t.Fatal(err)
	}
	meta, err := rpc.FromSegData(want.GetSegData())
	if err != nil {
		t.Fatal(err)
	}
	job := &core.TranscodeJob{
		Session: core.SessionID(meta.Token.GetSessionId()), Manifest: meta.Manifest, Number: meta.Number,
		Input: []byte("x"), Duration: meta.Duration, Profiles: meta.Profiles, Needs: meta.Capabilities.Bits,
		Origin: "offchain",
	}
	got := transcode(t, a, job)
	m := c.notice(t)
	if !strings.HasPrefix(m.GetUrl(), n.url+"/") {
		t.Errorf("the address %q is not what was dialed", m.GetUrl())
	}
	// What differs by intent: where the segment is, and the parts of the gateway's
	// token that no transcoder reads.
	m.Url = want.Url
	m.SegData.AuthToken = want.SegData.AuthToken
	want.TaskId = 0
	if !proto.Equal(m, want) {
		t.Errorf("told\n%v, want\n%v", m, want)
	}
	c.post(t, upload{task: 0, kind: "livepeer/transcoding-error", body: strings.NewReader("x")})
	await(t, got)

	a.EndSession(job.Session)
	b, _ := proto.MarshalOptions{Deterministic: true}.Marshal(c.notice(t))
	if string(b) != string(v["notify_segment_session_teardown"]) {
		t.Errorf("teardown %x", b)
	}
}

func TestRefusedRegistrations(t *testing.T) {
	t.Parallel()
	n := start(t)
	for _, row := range []struct {
		req  *rpc.RegisterRequest
		text string
	}{
		{&rpc.RegisterRequest{Secret: "wrong", Capacity: 1}, "invalid secret"},
		{&rpc.RegisterRequest{Capacity: 0}, "invalid secret"},
		{&rpc.RegisterRequest{Secret: "s3cret"}, "zero capacity"},
		{&rpc.RegisterRequest{Secret: "s3cret", Capacity: -1}, "zero capacity"},
	} {
		_, err := register(t, n, row.req).stream.Recv()
		if s := status.Convert(err); s.Message() != row.text || s.Code() == codes.Canceled {
			t.Errorf("got %v, want %q", err, row.text)
		}
	}
	if text := n.logged.String(); strings.Count(text, "worker refused") != 1 || strings.Contains(text, "wrong") ||
		!strings.Contains(text, "from=127.0.0.1") {
		t.Errorf("logged %s", text)
	}
	n.placer.refuse = errors.New("no")
	if _, err := register(t, n, plain()).stream.Recv(); status.Code(err) != codes.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestTheEndIsNeverCanceled(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := register(t, n, plain())
	a := n.next(t)
	n.Close()
	if _, err := c.stream.Recv(); err == nil || status.Code(err) == codes.Canceled {
		t.Errorf("got %v", err)
	}
	a.awaitDetached(t)
	if _, err := register(t, n, plain()).stream.Recv(); status.Code(err) != codes.Unavailable {
		t.Errorf("after the end: %v", err)
	}
}

func TestALostTranscoderFailsItsSegmentsAtOnce(t *testing.T) {
	t.Parallel()
	n := start(t)
	for name, leave := range map[string]func(*client){
		"ends the call":     func(c *client) { c.hangUp() },
		"closes connection": func(c *client) { c.conn.Close() },
	} {
		c := register(t, n, plain())
		a := n.next(t)
		other := register(t, n, plain())
		b := n.next(t)
		got := transcode(t, a, segment("s", 1))
		m := c.notice(t)
		begin := time.Now()
		leave(c)
		x := await(t, got)
		wantCode(t, x.err, fault.RemoteWorkerLost)
		if !fault.Retryable(x.err) || time.Since(begin) > 10*time.Second {
			t.Errorf("%s: %v after %v", name, x.err, time.Since(begin))
		}
		a.awaitDetached(t)
		_, err := a.Transcode(t.Context(), segment("s", 1))
		wantCode(t, err, fault.RemoteWorkerLost)
		a.EndSession("s")

		got = transcode(t, b, segment("s", 1))
		other.succeed(t, other.notice(t))
		if x := await(t, got); x.err != nil {
			t.Errorf("%s: the other transcoder: %v", name, x.err)
		}
		// What comes from the one that was lost belongs to no task.
		if status, text := other.post(t, upload{task: m.GetTaskId(), kind: mixed,
			body: multi(goodParts())}); status != 200 || text != "OK" {
			t.Errorf("%s: late result: %d %q", name, status, text)
		}
		other.hangUp()
		b.awaitDetached(t)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := register(t, n, plain())
	a := n.next(t)
	for _, row := range []struct {
		text string
		code fault.Code
		wire string
	}{
		{"incompatible segment capabilities", fault.RemoteIncompatible, "incompatible segment capabilities"},
		{"No keyframes in input", fault.NoKeyframes, "No keyframes in input"},
		{"Invalid argument", fault.InvalidArgument, "Invalid argument"},
		{"Unrecoverable state, restart process", fault.UnrecoverableState, "Unrecoverable state, restart process"},
		{"TranscoderInvalidVideo\n", fault.TranscoderInvalidVideo, "TranscoderInvalidVideo"},
		{"TranscoderStopped", fault.TranscoderStopped, "TranscoderStopped"},
		{"open: Invalid argument", fault.TranscoderFailed, "open: Invalid argument"},
		{"", fault.TranscoderFailed, "TranscoderFailed"},
		{strings.Repeat("x", 1<<20), fault.TranscoderFailed, strings.Repeat("x", 512) + "…"},
	} {
		got := transcode(t, a, segment("s", 1))
		m := c.notice(t)
		c.post(t, upload{task: m.GetTaskId(), kind: "livepeer/transcoding-error", body: strings.NewReader(row.text),
			header: map[string]string{"Pixels": "0"}})
		x := await(t, got)
		wantCode(t, x.err, row.code)
		if wire := fault.Wire(x.err); wire != row.wire {
			t.Errorf("%.40q: gateways are told %.60q", row.text, wire)
		}
	}
	if !strings.Contains(n.logged.String(), "transcoder registered") {
		t.Error("nothing was logged")
	}
}

func TestAnswersToResults(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := register(t, n, plain())
	a := n.next(t)
	got := transcode(t, a, segment("s", 1))
	id := c.notice(t).GetTaskId()
	for _, row := range []struct {
		name   string
		u      upload
		status int
		text   string
	}{
		{"no marker", upload{kind: mixed, header: map[string]string{"Authorization": ""}}, 401, "Unauthorized"},
		{"other marker", upload{kind: mixed, header: map[string]string{"Authorization": "Livepeer-AI-Worker-1.0"}}, 401,
			"Unauthorized"},
		{"wrong secret", upload{kind: mixed, header: map[string]string{"Credentials": "x"}}, 401, "Unauthorized"},
		{"no content type", upload{task: 77, kind: ";"}, 415, "unparsable content type"},
		{"other content type", upload{task: 77, kind: "text/plain"}, 415, "unparsable content type"},
		{"bad task", upload{kind: mixed, header: map[string]string{"TaskId": "x"}}, 400, "Invalid Task ID"},
		{"no task", upload{kind: mixed, header: map[string]string{"TaskId": ""}}, 400, "Invalid Task ID"},
		{"unknown task", upload{task: 77, kind: mixed, body: strings.NewReader("x")}, 200, "OK"},
		{"second secret", upload{task: 77, kind: mixed, body: strings.NewReader("x"),
			header: map[string]string{"Credentials": "next"}}, 200, "OK"},
	} {
		if status, text := c.post(t, row.u); status != row.status || text != row.text {
			t.Errorf("%s: %d %q, want %d %q", row.name, status, text, row.status, row.text)
		}
	}
	if status, _ := c.post(t, upload{task: id, kind: mixed, body: multi(goodParts())}); status != 200 {
		t.Errorf("status %d", status)
	}
	if x := await(t, got); x.err != nil {
		t.Error(x.err)
	}
	if status, text := c.post(t, upload{task: id, kind: mixed, body: multi(goodParts())}); status != 200 || text != "OK" {
		t.Errorf("the same again: %d %q", status, text)
	}
	if resp, err := c.h2.Get(n.url + transcoders.ResultsPath); err != nil || resp.StatusCode != 405 {
		t.Error(resp, err)
	} else {
		resp.Body.Close()
	}
}
