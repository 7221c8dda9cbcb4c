package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
)

// TestOrchestratorRestart kills the only orchestrator between two segments and
// starts it again: the certificate is the same, and the stream goes on without losing a
// segment.
func TestOrchestratorRestart(t *testing.T) {
	addr, admin, dir := harness.Address(t), harness.Address(t), t.TempDir()
	start := func() *harness.Process {
		return harness.Start(t, binary, "-orchestrator", "-transcoder", "-serviceAddr", addr,
			"-httpAddr", addr, "-cliAddr", admin, "-dataDir", dir)
	}
	first := start()
	first.WaitHTTP("https://" + addr + "/healthz")
	_, gw := gateway(t, addr)
	segs := segments(t, small(3))
	push := func(n int) {
		t.Helper()
		out, err := harness.Push(gw, "movie", fmt.Sprintf("%d.ts", n), segs[n].Data, segs[n].Duration)
		if err != nil {
			t.Fatalf("segment %d: %v", n, err)
		}
		checkRenditions(t, segs[n], out)
	}
	push(0)
	first.Signal(syscall.SIGKILL)
	first.Exit(10 * time.Second)
	second := start()
	push(1) // while it starts
	second.WaitHTTP("https://" + addr + "/healthz")
	push(2)
}

// TestSessionsOverRestart is a gateway that goes on with the session that it has, as those
// of the existing network do: the orchestrator was started again in between.
func TestSessionsOverRestart(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]syscall.Signal{"stopped": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, admin, dir := harness.Address(t), harness.Address(t), t.TempDir()
			start := func() *harness.Process {
				p := harness.Start(t, binary, "-orchestrator", "-transcoder", "-serviceAddr", addr,
					"-httpAddr", addr, "-cliAddr", admin, "-dataDir", dir)
				p.WaitHTTP("https://" + addr + "/healthz")
				return p
			}
			first := start()
			g := newForeignGateway(t, addr)
			info, err := g.rpc.GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{Address: make([]byte, 20)})
			if err != nil {
				t.Fatal(err)
			}
			segs := segments(t, small(2))
			g.transcode(info, 0, segs[0].Data)
			first.Signal(end)
			first.Exit(20 * time.Second)
			start()
			g.transcode(info, 1, segs[1].Data)
		})
	}
}

// transcode sends a segment under a session, and checks that a rendition came of it.
func (g *foreignGateway) transcode(info *rpc.OrchestratorInfo, number core.SegmentNumber, data []byte) {
	g.t.Helper()
	head, err := rpc.EncodeHeader(rpc.ToSegData(&rpc.SegmentMeta{
		Manifest: "movie", Number: number, Hash: [32]byte(crypto.Keccak256(data)), Token: info.GetAuthToken(),
		Profiles: []core.Profile{{Name: "small", Width: 160, Height: 90, Bitrate: 100_000}},
	}))
	if err != nil {
		g.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, g.base+"/segment", bytes.NewReader(data))
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Livepeer-Segment", head)
	req.Header.Set("Content-Type", "video/MP2T")
	resp, err := g.http["HTTP/2.0"].Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	var result rpc.TranscodeResult
	if err == nil && resp.StatusCode == http.StatusOK {
		err = proto.Unmarshal(answer, &result)
	}
	if err != nil || len(result.GetData().GetSegments()) != 1 {
		g.t.Fatalf("segment %d: %s, %q, %s, %v", number, resp.Status, answer, result.GetError(), err)
	}
}
