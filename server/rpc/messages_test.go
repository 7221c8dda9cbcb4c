package rpc_test

import (
	"encoding/json"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/rpc"
)

const vectorURI = "https://127.0.0.1:8935"

// defaultOffer is the offer that stands in the vectors.
func defaultOffer(more ...capability.ID) capability.Capabilities {
	return capability.Offer(capability.Default().With(more...), "0.9.1")
}

func httpPush(t testing.TB) *rpc.Capabilities {
	t.Helper()
	return rpc.FromCapabilities(capability.Capabilities{Bits: capability.Of(0, 1, 12, 26)})
}

func TestMessageVectors(t *testing.T) {
	t.Parallel()
	var vectors map[string]json.RawMessage
	readVectors(t, "protobuf_messages.json", &vectors)
	var request struct {
		Cases []struct{ Signature hexBytes }
	}
	readVectors(t, "signatures.json", &request)

	const model = "meta-llama/Meta-Llama-3.1-8B-Instruct"
	llm := defaultOffer(capability.LLM)
	llm.Constraints.PerCapability = map[capability.ID]capability.Models{
		capability.LLM: {model: {Warm: true, Capacity: 1, RunnerVersion: "0.14.1"}},
	}
	gateway := []byte("\x1a\x64\x2f\x0e\x3c\x3a\xf5\x45\xe7\xac\xbd\x38\xb0\x72\x51\xb3\x99\x09\x14\xf1")
	zero := make([]byte, 20)
	token := vectorToken(t)

	messages := map[string]proto.Message{
		"end_transcoding_session_request": &rpc.EndTranscodingSessionRequest{AuthToken: token},
		"notify_ai_job_llm": &rpc.NotifyAIJob{TaskId: 3, AIJobData: &rpc.AIJobData{
			Pipeline: "llm",
			RequestData: []byte(`{"input_url":"","request":{"max_tokens":16,"messages":[{"content":"hi","role":"user"}],` +
				`"model":"m","stream":false}}`),
		}},
		"notify_segment": &rpc.NotifySegment{
			Url: vectorURI + "/stream/0011aabb/7.tempfile",
			SegData: &rpc.SegData{
				ManifestId: []byte("deadbeef"), Seq: 7, Hash: make([]byte, 32), Profiles: []byte("invalid"),
				Duration: 2000, Capabilities: httpPush(t), AuthToken: token,
				FullProfiles: []*rpc.VideoProfile{rpc.FromProfile(presetNamed(t, "P240p30fps16x9"))},
			},
			TaskId: 42, Profiles: []byte("invalid"), OrchId: "offchain",
		},
		"notify_segment_session_teardown": &rpc.NotifySegment{
			SegData: &rpc.SegData{AuthToken: &rpc.AuthToken{SessionId: "0011aabb"}},
		},
		"orchestrator_info_offchain_llm": &rpc.OrchestratorInfo{
			Transcoder: vectorURI, Address: zero, Capabilities: rpc.FromCapabilities(llm), AuthToken: token,
		},
		"orchestrator_info_offchain_transcoding": &rpc.OrchestratorInfo{
			Transcoder: vectorURI, Address: zero, Capabilities: rpc.FromCapabilities(defaultOffer()), AuthToken: token,
		},
		"orchestrator_request_offchain_zero_address_empty_sig": &rpc.OrchestratorRequest{
			Address: zero, Capabilities: httpPush(t),
		},
		"orchestrator_request_onchain": &rpc.OrchestratorRequest{
			Address: gateway, Sig: request.Cases[0].Signature, Capabilities: httpPush(t),
		},
		"payment_offchain_is_empty_message": &rpc.Payment{},
		"payment_onchain_no_tickets": &rpc.Payment{
			Sender: gateway, ExpectedPrice: &rpc.PriceInfo{PricePerUnit: 1200, PixelsPerUnit: 1},
		},
		"register_request_transcoder": &rpc.RegisterRequest{
			Secret: "s3cret", Capacity: 10, Capabilities: rpc.FromCapabilities(defaultOffer()),
		},
	}
	delete(vectors, "note")
	for name, raw := range vectors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want hexBytes
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			message, ok := messages[name]
			if !ok {
				t.Fatal("no message for this vector")
			}
			checkBytes(t, message, want)
		})
	}
	if len(messages) != len(vectors) {
		t.Errorf("%d messages for %d vectors", len(messages), len(vectors))
	}
}

// TestTranscodeResultVectors: the same reply with renditions and with an error.
func TestTranscodeResultVectors(t *testing.T) {
	t.Parallel()
	var v struct {
		Signature hexBytes
		Success   hexBytes `json:"success_proto_hex"`
		Failure   hexBytes `json:"error_proto_hex"`
	}
	readVectors(t, "transcode_result.json", &v)
	reply := func() *rpc.TranscodeResult {
		return &rpc.TranscodeResult{Seq: 7, Info: &rpc.OrchestratorInfo{Transcoder: vectorURI, AuthToken: vectorToken(t)}}
	}
	failure := reply()
	failure.Result = &rpc.TranscodeResult_Error{Error: "OrchestratorBusy"}
	checkBytes(t, failure, v.Failure)

	success := reply()
	success.Result = &rpc.TranscodeResult_Data{Data: &rpc.TranscodeData{
		Segments: []*rpc.TranscodedSegmentData{
			{Url: vectorURI + "/stream/0011aabb/P240p30fps16x9/7.ts", Pixels: 426 * 240 * 60},
			{Url: vectorURI + "/stream/0011aabb/P360p30fps16x9/7.ts", Pixels: 640 * 360 * 60},
		},
		Sig: v.Signature,
	}}
	checkBytes(t, success, v.Success)
}

// TestJSONEmbedding: generated structs give the network's JSON.
func TestJSONEmbedding(t *testing.T) {
	t.Parallel()
	type embedded struct {
		TicketParams *rpc.TicketParams `json:"ticket_params,omitempty"`
		Price        *rpc.PriceInfo    `json:"price,omitempty"`
	}
	var v struct {
		Example json.RawMessage
	}
	readVectors(t, "byoc_token.json", &v)
	var read embedded
	if err := json.Unmarshal(v.Example, &read); err != nil {
		t.Fatal(err)
	}
	if read.TicketParams.GetExpirationParams().GetCreationRound() != 5 || read.Price.GetPricePerUnit() != 3 {
		t.Errorf("read %v", read)
	}
	got, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	var want, have any
	if json.Unmarshal(v.Example, &want) != nil || json.Unmarshal(got, &have) != nil {
		t.Fatal("no JSON")
	}
	wantText, _ := json.Marshal(want)
	haveText, _ := json.Marshal(have)
	if string(wantText) != string(haveText) {
		t.Errorf("got %s, want %s", haveText, wantText)
	}
	names, err := json.Marshal(&rpc.SegData{
		ForceSessionReinit: true,
		Capabilities: &rpc.Capabilities{Constraints: &rpc.Capabilities_Constraints{
			PerCapability: map[uint32]*rpc.Capabilities_CapabilityConstraints{33: {}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"capabilities":{"constraints":{"PerCapability":{"33":{}}}},` +
		`"ForceSessionReinit":true}`; string(names) != want {
		t.Errorf("got %s, want %s", names, want)
	}
}
