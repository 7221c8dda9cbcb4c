package upstream

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

// FuzzJobRefusal reads the refusals of tutti orchestrators and others: whatever they say, the fault is one
// of the table, and none that only this gateway can find.
func FuzzJobRefusal(f *testing.F) {
	f.Add(500, "", "LLM container returned 400: no", "")
	f.Add(503, "OrchestratorCapped", "insufficient capacity", "9")
	f.Add(200, "Unexpected", "returned 422", "-1")
	f.Fuzz(func(t *testing.T, status int, code, text, after string) {
		for _, own := range []bool{true, false} {
			resp := &http.Response{StatusCode: status, Header: http.Header{
				rpc.CodeHeader: {code}, "Retry-After": {after}, "Content-Type": {text}},
				Body: io.NopCloser(bytes.NewReader([]byte(text)))}
			_ = passedOn(resp, own)
			err := jobRefusal(resp, own)
			row, known := fault.Lookup(fault.CodeOf(err))
			if !known || row.Class == fault.Internal || row.Class == fault.Config {
				t.Errorf("status %d, code %q, %q: %v", status, code, text, err)
			}
		}
	})
}

// FuzzOffer reads the new terms that come with an answer: they are of the same orchestrator and session.
func FuzzOffer(f *testing.F) {
	old := &rpc.OrchestratorInfo{Transcoder: "https://o:8935", Address: []byte{1},
		AuthToken: &rpc.AuthToken{SessionId: "s"}}
	raw, err := proto.Marshal(old)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(base64.StdEncoding.EncodeToString(raw))
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, header string) {
		info, err := readOffer(header, old)
		if err == nil && (info.GetTranscoder() != old.GetTranscoder() || info.GetAuthToken().GetSessionId() != "s") {
			t.Errorf("%v", info)
		}
	})
}

// New terms that would take far more memory than they have bytes are none: they are kept with their session.
func TestOfferOfManyParts(t *testing.T) {
	t.Parallel()
	old := &rpc.OrchestratorInfo{Transcoder: "https://o:8935", Address: []byte{1},
		AuthToken: &rpc.AuthToken{SessionId: "s"}}
	raw, err := proto.Marshal(old)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := proto.Marshal(&rpc.OrchestratorInfo{Hardware: []*rpc.HardwareInformation{{}}})
	if err != nil {
		t.Fatal(err)
	}
	raw = append(raw, bytes.Repeat(empty, 40<<10/len(empty))...)
	if info, err := readOffer(base64.StdEncoding.EncodeToString(raw), old); err == nil {
		t.Errorf("%d parts in %d bytes", len(info.GetHardware()), len(raw))
	}
}
