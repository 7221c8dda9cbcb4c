package money

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
)

// tiny is the cheapest rendition that can be asked for.
var tiny = core.Profile{Name: "tiny", Width: 64, Height: 36, Bitrate: 10_000, FPS: core.Framerate{Num: 1, Den: 1}}

// stalled is a body of n zero bytes that never ends: it blocks once they are read.
type stalled struct {
	ctx  context.Context
	left int
	sent func()
}

func (b *stalled) Read(p []byte) (int, error) {
	if b.left == 0 {
		b.sent()
		<-b.ctx.Done()
		return 0, io.EOF
	}
	n := min(len(p), b.left)
	clear(p[:n])
	b.left -= n
	return n, nil
}

// announce is the request for one rendition of a segment with a hash, which need not be
// that of the body.
func (p *payer) announce(ctx context.Context, info *rpc.OrchestratorInfo, payment *rpc.Payment, number int64,
	hash [32]byte,
	playing time.Duration, body io.Reader) *http.Request {
	p.Helper()
	meta := rpc.SegmentMeta{
		Manifest: core.ManifestID(info.GetAuthToken().GetSessionId()), Number: core.SegmentNumber(number), Hash: hash,
		Profiles: []core.Profile{tiny}, Token: info.GetAuthToken(), Duration: playing,
	}
	meta.Sig = p.sign(signature.Segment(meta.Manifest, meta.Number, hash, []string{tiny.Name}))
	message := rpc.ToSegData(&meta)
	message.Capabilities = &rpc.Capabilities{Bitstring: []uint64{1<<0 | 1<<1}, Version: "0.8.8"}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+p.front+"/segment", body)
	p.must(err)
	req.Header.Set("Content-Type", "video/MP2T")
	req.Header.Set("Livepeer-Segment", p.header(message))
	req.Header.Set("Livepeer-Payment", p.header(payment))
	return req
}

// occupy has sessions send bodies that do not end, the large ones
// first, until ctx ends. It returns once all of them are sent or refused.
func (p *payer) occupy(ctx context.Context, infos []*rpc.OrchestratorInfo) {
	p.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	p.Cleanup(client.CloseIdleConnections)
	var sent sync.WaitGroup
	for _, kind := range []struct{ bodies, size int }{
		{6, 64<<20 + 1}, {6, 16<<20 + 1}, {6, 4<<20 + 1}, {6, 1<<20 + 1}, {12, 256<<10 + 1}, {24, 64<<10 + 1}, {24, 1},
	} {
		for n := range kind.bodies {
			info := infos[n%len(infos)]
			done := sync.OnceFunc(sent.Done)
			sent.Add(1)
			body := &stalled{ctx: ctx, left: kind.size, sent: done}
			req := p.announce(ctx, info, p.payment(info, 0, 0), int64(1000+n), [32]byte{1}, time.Millisecond, body)
			go func() {
				defer done()
				resp, err := client.Do(req)
				if err == nil {
					_ = resp.Body.Close()
				}
			}()
		}
		sent.Wait()
	}
}

// TestAFewTicketsFillNoUploads: a gateway that paid three tickets in each of a few sessions
// announces tiny segments and sends as many endless bodies as it can. Another gateway that
// pays loses no segment.
func TestAFewTicketsFillNoUploads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-maxSessions", "16")
	attacker, honest := w.newPayer(5), w.newPayer(6)
	honest.served(4) // the node has seen the round
	const playing = 12
	data, large := w.long(1), w.long(playing)
	var infos []*rpc.OrchestratorInfo
	for range 3 {
		info := attacker.video()
		pixels, reason, err := attacker.segment(info, attacker.pay(info, 3), 0, data, time.Second)
		if pixels == 0 {
			t.Fatalf("the attacker's own segment: %q, %v", reason, err)
		}
		infos = append(infos, info)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	attacker.occupy(ctx, infos)

	info := honest.video()
	n := tickets(info, 160*90*15*playing*pixelWei*2)
	for number := range int64(5) {
		pixels, reason, err := honest.segment(info, honest.pay(info, n), number, large, playing*time.Second)
		if pixels == 0 {
			t.Errorf("segment %d of the paying gateway: %q, %v", number, reason, err)
		}
	}
}

// TestWrongHashesAreWaste: a gateway whose bodies are not what it signed is refused by name
// after a few, and others are not.
func TestWrongHashesAreWaste(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	attacker, honest := w.newPayer(5), w.newPayer(6)
	honest.served(4) // the node has seen the round
	info := attacker.video()
	refused := ""
	for number := range int64(12) {
		payment := attacker.payment(info, 0, 0)
		if number == 0 {
			payment = attacker.pay(info, 1)
		}
		body := make([]byte, 100_000)
		_, _ = rand.Read(body)
		req := attacker.announce(t.Context(), info, payment, number, [32]byte{1}, time.Second, bytes.NewReader(body))
		resp, err := harness.Client().Do(req)
		w.must(err)
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if code := resp.Header.Get("Tutti-Code"); code != "SegmentHashMismatch" {
			refused = code
			break
		}
	}
	if refused != "InputKeepsFailing" {
		t.Errorf("after twelve wrong hashes the answer is %q, want InputKeepsFailing", refused)
	}
	data := w.long(1)
	terms := honest.video()
	if pixels, reason, err := honest.segment(terms, honest.pay(terms, 1), 0, data, time.Second); pixels == 0 {
		t.Errorf("the other gateway: %q, %v", reason, err)
	}
}
