package bounds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
)

// hostile is an orchestrator that takes segments, announces renditions of 290 MB each,
// and sends next to nothing of them.
type hostile struct {
	rpc.UnimplementedOrchestratorServer
	server *httptest.Server
	// full: it has as many segments as it wants, and makes no more offers.
	full atomic.Bool
	// downloads counts those that hang; quit ends them.
	downloads atomic.Int64
	quit      chan struct{}
	once      sync.Once
}

func (h *hostile) release() { h.once.Do(func() { close(h.quit) }) }

func newHostile(t *testing.T) *hostile {
	t.Helper()
	h := &hostile{quit: make(chan struct{})}
	calls := grpc.NewServer()
	rpc.RegisterOrchestratorServer(calls, h)
	h.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc"):
			calls.ServeHTTP(w, r)
		case r.URL.Path == "/segment":
			h.segment(w, r)
		default:
			h.rendition(w, r)
		}
	}))
	h.server.EnableHTTP2 = true
	h.server.StartTLS()
	t.Cleanup(func() {
		h.release()
		h.server.CloseClientConnections()
		h.server.Close()
	})
	return h
}

func (h *hostile) info() *rpc.OrchestratorInfo {
	return &rpc.OrchestratorInfo{
		Transcoder: h.server.URL, Address: make([]byte, 20),
		Capabilities: rpc.FromCapabilities(capability.Offer(capability.SoftwareTranscoder(), "0.9.1")),
		AuthToken:    &rpc.AuthToken{Token: []byte("t"), SessionId: "s", Expiration: time.Now().Add(time.Hour).Unix()},
	}
}

// GetOrchestrator makes an offer.
func (h *hostile) GetOrchestrator(context.Context, *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo, error) {
	if h.full.Load() {
		return nil, errors.New("OrchestratorCapped")
	}
	return h.info(), nil
}

// EndTranscodingSession does nothing.
func (h *hostile) EndTranscodingSession(context.Context,
	*rpc.EndTranscodingSessionRequest) (*rpc.EndTranscodingSessionResponse, error) {
	return &rpc.EndTranscodingSessionResponse{}, nil
}

func (h *hostile) segment(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	data, err := rpc.DecodeSegData(r.Header.Get("Livepeer-Segment"))
	if err != nil {
		return
	}
	meta, err := rpc.FromSegData(data)
	if err != nil {
		return
	}
	done := &rpc.TranscodeData{Sig: make([]byte, 65)}
	for n := range meta.Profiles {
		done.Segments = append(done.Segments, &rpc.TranscodedSegmentData{Url: fmt.Sprintf("%s/stream/%d.ts",
			h.server.URL, n), Pixels: 1})
	}
	answer, _ := proto.Marshal(&rpc.TranscodeResult{Info: h.info(), Result: &rpc.TranscodeResult_Data{Data: done}})
	_, _ = w.Write(answer)
}

func (h *hostile) rendition(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "290000000")
	_, _ = io.Copy(w, bytes.NewReader(make([]byte, 1<<10)))
	_ = http.NewResponseController(w).Flush()
	h.downloads.Add(1)
	select {
	case <-h.quit:
	case <-r.Context().Done():
	}
}

// TestASlowOrchestratorLeavesMemoryToOthers: what one orchestrator announces and does not
// send takes no memory from the streams of others.
func TestASlowOrchestratorLeavesMemoryToOthers(t *testing.T) {
	const streams, hang = 110, 300
	seg := segments(t, 1)[0]
	h := newHostile(t)
	good := orchestrator(t, 0)
	g := &started{front: harness.Address(t), admin: harness.Address(t)}
	g.Process = harness.Start(t, node, "-gateway", "-orchAddr", h.server.URL+","+good.front, "-httpAddr", g.front,
		"-cliAddr", g.admin,
		"-dataDir", t.TempDir(), "-transcodingOptions", "P144p30fps16x9,P240p30fps16x9,P240p25fps16x9,P240p30fps4x3")
	g.WaitHTTP(g.base() + "/healthz")
	h.full.Store(true)
	must(t, push(g.base(), "other", 0, seg)) // the stream is the good orchestrator's
	h.full.Store(false)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var refused atomic.Bool
	var wg sync.WaitGroup
	defer wg.Wait()
	for n := range streams {
		seg := seg
		wg.Go(func() {
			for i := 0; ctx.Err() == nil && !h.full.Load(); i++ {
				err := push(g.base(), fmt.Sprintf("stream%d", n), i, seg) // its orchestrator may be the hostile one
				if err != nil && strings.Contains(err.Error(), "memory limit") {
					refused.Store(true)
				}
			}
		})
	}
	g.Wait("downloads that hang", 30*time.Second, func() bool { return h.downloads.Load() >= hang || refused.Load() })
	h.full.Store(true)
	seg.Data = padded(seg.Data, 20<<20)
	for n := range 3 {
		if err := push(g.base(), "other", n+1, seg); err != nil {
			t.Errorf("segment %d of another stream: %v", n, err)
		}
	}
	h.release()
}

// padded is an MPEG-TS segment with so many bytes of null packets behind it.
func padded(data []byte, n int) []byte {
	null := append([]byte{0x47, 0x1f, 0xff, 0x10}, bytes.Repeat([]byte{0xff}, 184)...)
	return append(bytes.Clone(data), bytes.Repeat(null, n/len(null))...)
}
