package money

import (
	"bytes"
	"context"
	"io"
	"math/big"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// small is the only rendition that the tests ask for.
var small = core.Profile{Name: "small", Width: 160, Height: 90, Bitrate: 100_000, FPS: core.Framerate{Num: 15, Den: 1}}

// pixelWei is pixelPrice as a number.
const pixelWei = 9000

// long is one segment of so many seconds.
func (w *world) long(seconds int) []byte {
	w.Helper()
	g, err := clip.Generate(clip.Options{Width: 160, Height: 90, FPSNum: 15, FPSDen: 1,
		Segment: time.Duration(seconds) * time.Second, Segments: 1, Bitrate: 100_000})
	w.must(err)
	defer g.Close()
	s, err := g.Next(context.Background())
	w.must(err)
	return s.Data
}

// segment asks for the rendition of a segment that is announced with a playing time, 0 for
// none. It returns how many pixels were made, 0 with the reason where there is no result.
func (p *payer) segment(info *rpc.OrchestratorInfo, payment *rpc.Payment, number int64, data []byte,
	announced time.Duration) (pixels int64, reason string, err error) {
	hash := [32]byte(crypto.Keccak256(data))
	meta := rpc.SegmentMeta{
		Manifest: core.ManifestID(info.GetAuthToken().GetSessionId()), Number: core.SegmentNumber(number), Hash: hash,
		Profiles: []core.Profile{small}, Token: info.GetAuthToken(), Duration: announced,
	}
	meta.Sig = p.sign(signature.Segment(meta.Manifest, meta.Number, hash, []string{small.Name}))
	message := rpc.ToSegData(&meta)
	message.Capabilities = &rpc.Capabilities{Bitstring: []uint64{1<<0 | 1<<1}, Version: "0.8.8"}
	req, err := http.NewRequestWithContext(p.Context(), http.MethodPost, "https://"+p.front+"/segment",
		bytes.NewReader(data))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "video/MP2T")
	req.Header.Set("Livepeer-Segment", p.header(message))
	req.Header.Set("Livepeer-Payment", p.header(payment))
	resp, err := harness.Client().Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return 0, string(answer), err
	}
	var result rpc.TranscodeResult
	if err := proto.Unmarshal(answer, &result); err != nil {
		return 0, "", err
	}
	for _, s := range result.GetData().GetSegments() {
		pixels += s.GetPixels()
	}
	return pixels, result.GetError(), nil
}

// transcoding is what gateways need that want H.264.
func transcoding() *rpc.Capabilities {
	return &rpc.Capabilities{Bitstring: []uint64{1<<0 | 1<<1}, Version: "0.8.8"}
}

// video asks for terms of transcoding.
func (p *payer) video() *rpc.OrchestratorInfo {
	p.Helper()
	return p.offer(transcoding())
}

// ticketWei is what a ticket of an offer is worth.
func ticketWei(info *rpc.OrchestratorInfo) int64 {
	terms := info.GetTicketParams()
	ev := new(big.Int).Mul(new(big.Int).SetBytes(terms.GetFaceValue()), new(big.Int).SetBytes(terms.GetWinProb()))
	return ev.Rsh(ev, 256).Int64()
}

// TestSegmentsLongerThanAnnounced: segments of 12 seconds that are announced and paid as one
// second, in many sessions at once. One of them is lent to a gateway that owes nothing; the
// others are withheld, and so are those of new sessions, until the first is paid.
func TestSegmentsLongerThanAnnounced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-maxSessions", "16")
	p := w.newPayer(5)
	p.served(4) // the node has seen the round
	data := w.long(12)
	const sessions = 6
	var infos []*rpc.OrchestratorInfo
	var payments []*rpc.Payment
	for range sessions {
		info := p.video()
		infos, payments = append(infos, info), append(payments, p.pay(info, 1))
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	served := 0
	for i := range sessions {
		all.Go(func() {
			pixels, reason, err := p.segment(infos[i], payments[i], 0, data, time.Second)
			mu.Lock()
			defer mu.Unlock()
			t.Logf("session %d: %d pixels, %q, %v", i, pixels, reason, err)
			if pixels > 0 {
				served++
			}
		})
	}
	all.Wait()
	for i := range 3 {
		info := p.video()
		pixels, reason, err := p.segment(info, p.pay(info, 1), 0, data, time.Second)
		t.Logf("later session %d: %d pixels, %q, %v", i, pixels, reason, err)
		if pixels > 0 {
			served++
		}
	}
	if served != 1 {
		t.Errorf("%d long segments were given for the price of short ones, want 1", served)
	}
}

// TestSegmentsWithoutAPlayingTime: an unmodified gateway whose client does not say how long
// its segments are announces two seconds each. It pays what it owes with the next segment,
// and gets every one of a stream of twelve-second segments.
func TestSegmentsWithoutAPlayingTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.newPayer(5)
	p.served(4) // the node has seen the round
	data := w.long(12)
	info := p.video()
	const estimate = 160 * 90 * 15 * 2 * pixelWei * 102 / 100
	balance, ticket := int64(0), ticketWei(info)
	for number := range int64(4) {
		missing := max(estimate, ticket) - balance
		n := (max(0, missing) + ticket - 1) / ticket
		pixels, reason, err := p.segment(info, p.pay(info, int(n)), number, data, 0)
		if pixels == 0 {
			t.Fatalf("segment %d with %d tickets: %q %v", number, n, reason, err)
		}
		balance += n*ticket - pixels*info.GetPriceInfo().GetPricePerUnit()/info.GetPriceInfo().GetPixelsPerUnit()
	}
}
