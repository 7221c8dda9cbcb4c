package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
)

// networkModel is the model of the network's recorded messages.
const networkModel = "meta-llama/Meta-Llama-3.1-8B-Instruct"

// foreignGateway is a gateway of the existing network as orchestrators see it: it
// asks by gRPC, sends jobs by HTTP, and reads answers the way that its code does,
// mistakes included. It knows nothing of our own nodes.
type foreignGateway struct {
	t    *testing.T
	rpc  rpc.OrchestratorClient
	base string
	// http are its clients by version of HTTP.
	http map[string]*http.Client
}

func newForeignGateway(t *testing.T, orch string) *foreignGateway {
	t.Helper()
	insecure := &tls.Config{InsecureSkipVerify: true} // the network's certificates are self-signed
	conn, err := grpc.NewClient(orch, grpc.WithTransportCredentials(credentials.NewTLS(insecure)))
	if err != nil {
		t.Fatal(err)
	}
	old := &http.Transport{TLSClientConfig: insecure.Clone(),
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}
	two := &http.Transport{TLSClientConfig: insecure.Clone(), ForceAttemptHTTP2: true}
	t.Cleanup(func() {
		_ = conn.Close()
		old.CloseIdleConnections()
		two.CloseIdleConnections()
	})
	return &foreignGateway{
		t: t, rpc: rpc.NewOrchestratorClient(conn), base: "https://" + orch,
		http: map[string]*http.Client{"HTTP/1.1": {Transport: old}, "HTTP/2.0": {Transport: two}},
	}
}

// vector is an entry of a file of test/vectors.
func vector(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile("../vectors/" + file)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// recordedJob is the Livepeer-Segment header of the network's recorded llm job.
func recordedJob(t *testing.T) string {
	t.Helper()
	var file struct {
		Cases []struct {
			Name   string
			Header string `json:"livepeer_segment_header"`
		}
	}
	vector(t, "segdata.json", &file)
	for _, c := range file.Cases {
		if c.Name == "ai_llm_empty_segment" {
			return c.Header
		}
	}
	t.Fatal("the vector is gone")
	return ""
}

// wants is what it asks for a model: that of the recorded job in the network's own
// bytes, others likewise.
func (g *foreignGateway) wants(m inference.Model) *rpc.Capabilities {
	g.t.Helper()
	seg := g.decoded(recordedJob(g.t))
	c := seg.GetCapabilities()
	if m.Capability == capability.LLM && m.ID == networkModel {
		return c
	}
	c.Bitstring[0] ^= 1<<33 | 1<<uint(m.Capability)
	delete(c.Capacities, 33)
	c.Capacities[uint32(m.Capability)] = 1
	models := c.Constraints.PerCapability[33]
	models.Models = map[string]*rpc.Capabilities_CapabilityConstraints_ModelConstraint{m.ID: {}}
	c.Constraints.PerCapability = map[uint32]*rpc.Capabilities_CapabilityConstraints{uint32(m.Capability): models}
	return c
}

func (g *foreignGateway) decoded(header string) *rpc.SegData {
	g.t.Helper()
	data, err := base64.StdEncoding.DecodeString(header)
	seg := new(rpc.SegData)
	if err == nil {
		err = proto.Unmarshal(data, seg)
	}
	if err != nil {
		g.t.Fatal(err)
	}
	return seg
}

// discover asks the orchestrator for its terms, as a gateway without a chain does.
func (g *foreignGateway) discover(m inference.Model) *rpc.OrchestratorInfo {
	g.t.Helper()
	info, err := g.rpc.GetOrchestrator(g.t.Context(),
		&rpc.OrchestratorRequest{Address: make([]byte, 20), Capabilities: g.wants(m)})
	if err != nil {
		g.t.Fatal(err)
	}
	return info
}

// foreignJob is one request in the making.
type foreignJob struct {
	*http.Request
	segment *rpc.SegData
}

// job makes a job under fresh terms.
func (g *foreignGateway) job(m inference.Model, contentType string, body []byte) *foreignJob {
	g.t.Helper()
	seg := g.decoded(recordedJob(g.t))
	seg.ManifestId = []byte(fmt.Sprintf("%d_%s", m.Capability, m.ID))
	seg.Capabilities = g.wants(m)
	seg.AuthToken = g.discover(m).GetAuthToken()
	seg.Sig = nil // there is no key without a chain
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, g.base+"/"+m.Capability.Pipeline(),
		bytes.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header["Livepeer-Payment"] = []string{""}
	req.Header.Set("Authorization", "Livepeer-AI-Worker-1.0")
	req.Header.Set("Content-Type", contentType)
	j := &foreignJob{req, seg}
	j.seal()
	return j
}

// seal puts the segment's description into its header.
func (j *foreignJob) seal() {
	data, _ := proto.MarshalOptions{Deterministic: true}.Marshal(j.segment) // read from the wire, so it can be written
	j.Header.Set("Livepeer-Segment", base64.StdEncoding.EncodeToString(data))
}

// chat is a chat in the network's seven fields.
func (g *foreignGateway) chat(m inference.Model, tokens int, stream bool) *foreignJob {
	body, _ := json.Marshal(map[string]any{ // nothing in it can fail
		"messages": []any{map[string]string{"role": "user", "content": "hi"}}, "model": m.ID, "max_tokens": tokens,
		"stream": stream, "temperature": 0.7, "top_p": 1.0, "top_k": -1,
	})
	return g.job(m, "application/json", body)
}

// send does a job over one version of HTTP.
func (g *foreignGateway) send(version string, j *foreignJob) (*http.Response, error) {
	res, err := g.http[version].Do(j.Request)
	if err == nil && res.Proto != version {
		res.Body.Close()
		return nil, fmt.Errorf("answered with %s", res.Proto)
	}
	return res, err
}

// answered is send and the whole answer.
func (g *foreignGateway) answered(version string, j *foreignJob) (*http.Response, []byte) {
	g.t.Helper()
	res, err := g.send(version, j)
	if err != nil {
		g.t.Fatal(err)
	}
	return res, readAll(g.t, res)
}

// networkChunk is an event or an answer with the fields that must be there.
type networkChunk struct {
	ID, Model *string
	Created   *int64
	Usage     *struct {
		Total *int `json:"total_tokens"`
	}
	Choices []struct {
		Index        *int
		FinishReason *string `json:"finish_reason"`
		Delta        *struct{ Content string }
		Message      *struct{ Content string }
	}
}

// complete says what of a chunk the network's gateways miss.
func (c *networkChunk) complete() error {
	switch {
	case len(c.Choices) == 0:
		return errors.New("no choice: this crashes the gateway")
	case c.ID == nil || *c.ID == "" || c.Model == nil || c.Created == nil || c.Usage == nil || c.Usage.Total == nil:
		return errors.New("a field is missing that must be there")
	case c.Choices[0].Index == nil || c.Choices[0].Delta == nil && c.Choices[0].Message == nil:
		return errors.New("a choice lacks a field")
	}
	return nil
}

// networkStream is what such a gateway makes of a stream.
type networkStream struct {
	text, finish  string
	events, total int
}

// readNetworkStream reads a stream with the gateway's loop: lines of at most 64 KiB,
// the first choice of every event, up to the first reason to finish. Events that
// would harm it are errors.
func readNetworkStream(r io.Reader) (s networkStream, err error) {
	lines := bufio.NewScanner(r) // whose bound is 64 KiB as it comes
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if s.finish != "" && data != "[DONE]" {
			return s, fmt.Errorf("after the end came %s", data)
		}
		var c networkChunk
		if json.Unmarshal([]byte(data), &c) != nil {
			continue
		}
		if err := c.complete(); err != nil {
			return s, fmt.Errorf("%w: %.300s", err, data)
		}
		s.events++
		s.total = *c.Usage.Total
		if c.Choices[0].Delta != nil {
			s.text += c.Choices[0].Delta.Content
		}
		if f := c.Choices[0].FinishReason; f != nil {
			s.finish = *f
		}
	}
	if err = lines.Err(); err == nil && s.finish == "" {
		err = errors.New("no event has a reason to finish")
	}
	return s, err
}

// checkOffer holds an offer to what the network's gateways look for.
func checkOffer(t *testing.T, info *rpc.OrchestratorInfo, base string, m inference.Model) {
	t.Helper()
	caps := info.GetCapabilities()
	need := uint64(0x04005fff) | 1<<uint(m.Capability)
	if len(caps.GetBitstring()) != 1 || caps.GetBitstring()[0]&need != need {
		t.Errorf("bits %x lack some of %x", caps.GetBitstring(), need)
	}
	for id := range 64 {
		if need>>id&1 == 1 && caps.GetCapacities()[uint32(id)] == 0 {
			t.Errorf("no capacity for %d", id)
		}
	}
	if caps.GetConstraints() == nil {
		t.Fatal("no constraints: this crashes the gateway")
	}
	model := caps.GetConstraints().GetPerCapability()[uint32(m.Capability)].GetModels()[m.ID]
	if model == nil || !model.GetWarm() || model.GetCapacity() == 0 {
		t.Errorf("the model is offered as %v in %v", model, caps.GetConstraints())
	}
	if info.GetTranscoder() != base || !bytes.Equal(info.GetAddress(), make([]byte, 20)) {
		t.Errorf("service URI %q, address %x", info.GetTranscoder(), info.GetAddress())
	}
	if info.GetPriceInfo() != nil || info.GetTicketParams() != nil || len(info.GetStorage()) > 0 {
		t.Errorf("terms of payment or storage without a chain: %v", info)
	}
	if v := strings.SplitN(caps.GetVersion(), ".", 3); len(v) != 3 || slices.Contains(v, "") {
		t.Errorf("version %q", caps.GetVersion())
	}
	token := info.GetAuthToken()
	left := time.Until(time.Unix(token.GetExpiration(), 0))
	if id, err := hex.DecodeString(token.GetSessionId()); err != nil || len(id) != 12 || len(token.GetToken()) == 0 ||
		left < 29*time.Minute || left > 31*time.Minute {
		t.Errorf("auth token %v, good for %v", token, left)
	}
}

// within runs f with a context that ends after the given time.
func within(t *testing.T, d time.Duration, f func(ctx context.Context)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	f(ctx)
}
