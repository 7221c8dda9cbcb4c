package media

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/pipelines"
)

// transcriber is a model that transcribes, and the options of an orchestrator that has it.
func transcriber(t *testing.T) (inference.Model, []string) {
	t.Helper()
	m := inference.Model{Capability: capability.AudioToText, ID: pipelines.Model("audio-to-text")}
	content, err := json.Marshal([]map[string]any{{"pipeline": "audio-to-text", "model_id": m.ID, "warm": true,
		"price_per_unit": 0, "pixels_per_unit": 1, "capacity": 16, "url": pipelines.Start(t).URL("audio-to-text")}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "aiModels.json")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return m, []string{"-aiWorker", "-aiModels", path, "-aiAllowUnverified"}
}

// transcribe sends a file as the sound of a job, and returns what is said of it.
func (s *sender) transcribe(ctx context.Context, tok *rpc.AuthToken, m inference.Model, data []byte) (string, error) {
	c := capability.Capabilities{Bits: capability.Default().With(m.Capability), Version: "0.8.8",
		Capacities:  map[capability.ID]uint32{m.Capability: 1},
		Constraints: capability.Constraints{PerCapability: map[capability.ID]capability.Models{m.Capability: {m.ID: {}}}}}
	header, err := proto.Marshal(rpc.ToSegData(&rpc.SegmentMeta{
		Manifest: m.Manifest(), Hash: signature.Keccak256(nil), Token: tok, Capabilities: c}))
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	_ = form.WriteField("model_id", m.ID)
	_ = form.WriteField("metadata", `{"duration":"2"}`)
	part, err := form.CreateFormFile("audio", "sound")
	if err == nil {
		_, err = part.Write(data)
	}
	if err != nil || form.Close() != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+s.to+"/audio-to-text", &b)
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Livepeer-Segment", base64.StdEncoding.EncodeToString(header))
	resp, err := s.http.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return fmt.Sprint(resp.StatusCode, " ", strings.TrimSpace(string(text[:min(len(text), 120)]))), err
}

// TestSoundsOfJobsEndNoStreamsWorker: files that are sent as the sound of AI jobs are measured
// before anything is paid. Those that end media workers, and very many at once, cost a stream on
// the same CPU no segment, and no other job its measure.
func TestSoundsOfJobsEndNoStreamsWorker(t *testing.T) {
	m, args := transcriber(t)
	node, addr := orchestrator(t, append(args, "-workerMemory", small)...)
	bad, from := tooLarge(t), newSender(t, 0, addr)
	tok, err := from.token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	besides(t, node, addr, func(ctx context.Context, _ string, n int) (string, error) {
		return from.transcribe(ctx, tok, m, varied(bad, n))
	})
	if n := deaths(node); n != 0 {
		t.Errorf("%d shared media workers died", n)
	}
}

// TestManySoundsDelayNoOther: one peer with very many sounds at once has few measured at a time,
// and another one's is measured alongside them.
func TestManySoundsDelayNoOther(t *testing.T) {
	m, args := transcriber(t)
	node, addr := orchestrator(t, args...)
	bad := ffmpeg(t, ".ts", "-f lavfi -i color=c=gray:size=3840x2160:rate=30:duration=3 -pix_fmt yuv420p "+
		"-c:v libx264 -preset ultrafast -refs 4 -threads 2")
	from, other := newSender(t, 0, addr), newSender(t, 1, addr)
	tok, err := from.token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	said := make(chan string, 100)
	for n := range cap(said) {
		go func() {
			text, _ := from.transcribe(ctx, tok, m, varied(bad, n))
			said <- text
		}()
	}
	node.Wait("the first to be refused", 20*time.Second, func() bool { return len(said) > 0 })
	mine, err := other.token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	text, err := other.transcribe(t.Context(), mine, m, pipelines.WAV(16_000, 32_000))
	took := time.Since(start)
	if err != nil || !strings.HasPrefix(text, "200 ") || took > 15*time.Second {
		t.Errorf("another peer's sound: %s, %v after %s", text, err, took)
	}
	node.Wait("its two seconds to be billed", 20*time.Second, func() bool {
		return strings.Contains(node.Log(), "units=2000")
	})
	t.Logf("it took %s; the first of the others was told %s", took, <-said)
	if n := deaths(node); n != 0 {
		t.Errorf("%d shared media workers died", n)
	}
}
