package upstream_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// recordedMessage is a request of the recorded gateway, or an answer that it got.
type recordedMessage struct {
	Line    string
	Headers map[string]string
	Body    json.RawMessage
}

func (m *recordedMessage) compact(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, m.Body); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The request that begins a live stream has the headers of the recorded one, and the recorded answer arrives as it is.
func TestRecordedLiveStart(t *testing.T) {
	t.Parallel()
	var doc struct{ Start [2]recordedMessage }
	data, err := os.ReadFile("../../../test/vectors/live/live_gateway_to_orch.json")
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	want, answer := doc.Start[0], doc.Start[1]
	var got *http.Request
	var body []byte
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", answer.Headers["Content-Type"])
		_, _ = w.Write(answer.compact(t))
	})
	c := client(t, upstream.Options{})
	noop := inference.Model{Capability: capability.LiveVideoToVideo, ID: "noop"}
	wants := upstream.JobWants(noop, "0.9.1", "", "")
	token := &rpc.AuthToken{Token: []byte{1}, SessionId: "0011aabb", Expiration: time.Now().Add(time.Hour).Unix()}
	info := &rpc.OrchestratorInfo{Transcoder: s.URL, AuthToken: token,
		Capabilities: rpc.FromCapabilities(wants.Capabilities)}
	offer, err := c.Terms(t.Context(), upstream.Found{Asked: s.URL, Info: info, Offer: upstream.OfferOf(info, time.Now())},
		noop, &wants)
	if err != nil {
		t.Fatal(err)
	}
	status, text, payment, err := c.StartLive(t.Context(), offer, "", 0, want.compact(t))
	if err != nil || status != http.StatusOK || !bytes.Equal(text, answer.compact(t)) {
		t.Fatalf("%d %s %v", status, text, err)
	}
	payment.Settle(0, 0)
	if line := got.Method + " " + got.URL.RequestURI() + " HTTP/1.1"; line != want.Line {
		t.Errorf("%s, not %s", line, want.Line)
	}
	if !bytes.Equal(body, want.compact(t)) {
		t.Errorf("%s, not %s", body, want.Body)
	}
	for k, v := range want.Headers {
		values, there := got.Header[k]
		if k == rpc.SegmentHeader || k == "Content-Length" { // the recorded body had other ids
			continue
		}
		if !there || values[0] != v {
			t.Errorf("%s: %q, not %q", k, values, v)
		}
	}
	for k := range got.Header {
		if _, there := want.Headers[k]; !there && k != "Accept-Encoding" && k != "User-Agent" {
			t.Errorf("%s: %q is not recorded", k, got.Header[k])
		}
	}
	raw, err := base64.StdEncoding.DecodeString(got.Header.Get(rpc.SegmentHeader))
	segment := new(rpc.SegData)
	if err != nil || proto.Unmarshal(raw, segment) != nil {
		t.Fatal(err, got.Header)
	}
	if string(segment.GetManifestId()) != "35_noop" || !proto.Equal(segment.GetAuthToken(), token) ||
		!proto.Equal(segment.GetCapabilities(), rpc.FromCapabilities(wants.Capabilities)) {
		t.Errorf("%v", segment)
	}
}
