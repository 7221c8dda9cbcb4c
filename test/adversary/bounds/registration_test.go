package bounds

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/procfs"
)

// TestHalfRegistrationsOfAPeerWithAToken: a peer with a token, which is no worker, sends most of many long
// registrations over one connection. What comes before a registration's secret is held in bounded memory.
func TestHalfRegistrationsOfAPeerWithAToken(t *testing.T) {
	const registrations, length = 200, 1000 << 10
	o := orchestrator(t, 0, "-orchSecret", "a secret of the operator")
	head := segmentWithToken(t, o.front)
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithCancel(t.Context())
	post := func(path, kind string, body io.Reader) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+o.front+path, body)
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", kind)
		r.Header.Set(rpc.SegmentHeader, head)
		res, err := transport.RoundTrip(r)
		if err == nil {
			res.Body.Close()
		}
		return err
	}
	if err := post("/llm", "application/json", bytes.NewReader([]byte("{}"))); err != nil {
		t.Fatal(err)
	}
	before := procfs.Resident(o.PID())
	message := make([]byte, 5+length)
	binary.BigEndian.PutUint32(message[1:], length+1)
	var sent, ended sync.WaitGroup
	for n := range registrations {
		path := []string{rpc.Transcoder_RegisterTranscoder_FullMethodName, rpc.AIWorker_RegisterAIWorker_FullMethodName}[n%2]
		body := &half{Reader: bytes.NewReader(message), until: ctx.Done()}
		sent.Add(1)
		body.sent = sync.OnceFunc(sent.Done)
		ended.Go(func() {
			defer body.sent()
			_ = post(path, "application/grpc", body) // what is refused is fine
		})
	}
	sent.Wait()
	most := before
	for range 10 {
		most = max(most, procfs.Resident(o.PID()))
		<-time.After(100 * time.Millisecond)
	}
	cancel()
	ended.Wait()
	t.Logf("%d MB, then up to %d MB", before>>20, most>>20)
	if most-before > mostMemory {
		t.Errorf("one connection costs %d MB", (most-before)>>20)
	}
}

// half is a body whose end does not come.
type half struct {
	io.Reader
	sent  func()
	until <-chan struct{}
}

func (h *half) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if err != nil {
		h.sent()
		<-h.until
	}
	return n, err
}
