package price

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// middleEV is a ticket's worth of which the bound holds forty.
const middleEV = 500_000_000_000

// badInput is how the network says that a segment cannot be decoded.
const badInput = "No keyframes in input"

// refuseInput answers a segment with badInput if bad says so.
func refuseInput(bad func(body []byte) bool) func(http.ResponseWriter, *http.Request, []byte) bool {
	return func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		if r.URL.Path != "/segment" || !bad(body) {
			return false
		}
		raw, err := proto.Marshal(&rpc.TranscodeResult{Result: &rpc.TranscodeResult_Error{Error: badInput}})
		if err != nil {
			return false
		}
		_, _ = w.Write(raw)
		return true
	}
}

// servesOthers pushes segments of an honest stream that all must be done by the first orchestrator.
func (w *world) servesOthers(stream string, from, n int) {
	w.Helper()
	for i := range n {
		_, _, before := w.cheat.books()
		if err := w.push(stream, from+i); err != nil {
			w.Errorf("segment %d of an honest stream: %v", from+i, err)
		}
		if _, _, served := w.cheat.books(); served != before+1 {
			w.Errorf("segment %d of an honest stream was not done by the honest orchestrator that did those before", from+i)
		}
	}
	if got := w.conditions(stopped); len(got) != 0 {
		w.Errorf("stopped by what a client did: %v", got)
	}
}

// TestAnnouncedLengths has a client push segments of one frame and say that they play for five minutes.
func TestAnnouncedLengths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cheat.with(func() { w.cheat.price = 2000 })
	g, err := clip.Generate(clip.Options{Width: 256, Height: 144, FPSNum: 1, FPSDen: 1, Segments: 1, Silent: true,
		Segment: time.Second})
	w.must(err)
	defer g.Close()
	picture, err := g.Next(t.Context())
	w.must(err)
	w.servesOthers("film", 0, 2)
	before, _, _ := w.cheat.books()
	n := rounds(50)
	for i := range n {
		if _, err := harness.Push("http://"+w.front, fmt.Sprint("still", i), "0.ts", picture.Data,
			core.MaxSegmentDuration); err != nil {
			t.Errorf("segment %d: %v", i, err)
		}
	}
	paid, worked, _ := w.cheat.books()
	t.Logf("%d frames of five minutes were paid with %.0f gwei; all work is worth %.3f", n, paid-before, worked)
	// A session begins with a ticket, and a second of the ladder costs less than that.
	if most := float64(2*n) * defaultEV / 1e9; paid-before > most {
		t.Errorf("paid %.0f gwei, at most %.0f is what the segments hold", paid-before, most)
	}
	w.servesOthers("film", 2, 2)
}

// TestUndecodableInput has a client push segments that cannot be decoded, each in a stream of its own, alongside an
// honest stream. The orchestrator, which reports that it cannot decode them, keeps its work.
func TestUndecodableInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cheat.with(func() {
		w.cheat.ev = core.NewWei(middleEV)
		w.cheat.reply = refuseInput(func(body []byte) bool { return len(body) < 10_000 })
	})
	w.honest.with(func() { w.honest.reply = w.cheat.reply })
	w.servesOthers("film", 0, 2)
	broken := w.segs[0].Data[:188*20]
	n := rounds(60)
	for i := range n {
		_, err := harness.Push("http://"+w.front, fmt.Sprint("broken", i), "0.ts", broken, time.Second)
		if err == nil {
			t.Fatal("a broken segment has renditions")
		}
	}
	paid, worked, _ := w.cheat.books()
	t.Logf("paid %.0f gwei, worked for %.3f", paid, worked)
	if paid > allowed(worked, 1) {
		t.Errorf("paid %.0f gwei, at most %.0f may be", paid, allowed(worked, 1))
	}
	w.servesOthers("film", 2, 4)
}

// TestBadInputIsNoLicense has an orchestrator take the payments of all streams and say of all input that it
// is bad. It is paid no more than the bound, also when the gateway is killed again and again, and others do
// the work.
func TestBadInputIsNoLicense(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cheat.with(func() {
		w.cheat.ev = core.NewWei(largeEV)
		w.cheat.reply = refuseInput(func([]byte) bool { return true })
	})
	for life := range 3 {
		if life > 0 {
			w.kill()
		}
		for i := range rounds(20) {
			_ = w.push(fmt.Sprintf("film%d.%d", life, i), 0) // it is refused as long as the liar is believed
		}
		paid, _, _ := w.cheat.books()
		t.Logf("after life %d it was paid %.0f gwei", life, paid)
		if paid > allowed(0, 0) || paid < largeEV/1e9 {
			t.Errorf("after life %d: paid %.0f gwei, at most %.0f may be", life, paid, allowed(0, 0))
		}
	}
	for i := range 3 {
		if err := w.push("good", i); err != nil {
			t.Errorf("segment %d: %v", i, err)
		}
	}
}

// TestBadInputOfOneOrchestrator has a cheap orchestrator, which no bound of payments stops, say of all input
// that it is bad. A stream loses its first segments to it and no more.
func TestBadInputOfOneOrchestrator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cheat.with(func() { w.cheat.reply = refuseInput(func([]byte) bool { return true }) })
	const believed = 3
	lost := 0
	for i := range 5 * believed {
		if err := w.push("film", i); err != nil {
			lost++
		}
	}
	if lost > believed {
		t.Errorf("%d segments of %d were lost to one orchestrator's word", lost, 5*believed)
	}
}

// from is a client with another address of this machine.
func from(t *testing.T, address string) *http.Client {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

const chat = `{"model":"` + networkModel +
	`","max_tokens":%d,"stream":true,"messages":[{"role":"user","content":"on and on"}]}`

// chatAndLeave begins a stream with room for many tokens and leaves after the first. The error is the
// gateway's refusal.
func (w *world) chatAndLeave(client *http.Client, tokens int) error {
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+w.front+"/v1/chat/completions",
		strings.NewReader(fmt.Sprintf(chat, tokens)))
	w.must(err)
	r.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("%s: %s", resp.Status, text)
	}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "choices") {
			return nil
		}
		if strings.Contains(lines.Text(), `"error"`) {
			return errors.New(lines.Text())
		}
	}
	return fmt.Errorf("no token came: %w", lines.Err())
}

// streams answers a chat with one token, and goes on until its client leaves. Clients that want few tokens have all.
func streams(o *orchestrator) func(http.ResponseWriter, *http.Request, []byte) bool {
	const event = `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"` + networkModel +
		`","choices":[{"index":0,"delta":{"content":"on "},"finish_reason":null}]}` + "\n\n"
	return func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		if r.URL.Path == "/segment" {
			return false
		}
		endless := strings.Contains(string(body), "999999999")
		if !endless {
			o.debit("", 1000) // before the first token, after which the client leaves
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, event)
		_ = http.NewResponseController(w).Flush()
		if endless {
			<-r.Context().Done()
		} else {
			_, _ = io.WriteString(w, "data: [DONE]\n\n")
		}
		return true
	}
}

// TestCanceledJobs has a client begin streams with room for a great many tokens, and leave each after the first.
func TestCanceledJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, o := range []*orchestrator{w.cheat, w.honest} {
		o.with(func() { o.reply = streams(o) })
	}
	w.servesOthers("film", 0, 2)
	bad, good := from(t, "127.0.0.1"), from(t, "127.0.0.2")
	begun := 0
	for refused := 0; refused < 2 && begun < rounds(80); {
		if w.chatAndLeave(bad, 999_999_999) == nil {
			begun++
		} else {
			refused++
		}
	}
	paid, worked, _ := w.cheat.books()
	t.Logf("%d streams were begun; paid %.0f gwei, worked for %.3f", begun, paid, worked)
	if begun == 0 {
		t.Error("the attacker was never served")
	}
	w.servesOthers("film", 2, 2)
	for i := range 3 {
		if err := w.chatAndLeave(good, 1000); err != nil {
			t.Errorf("chat %d of another client: %v", i, err)
		}
	}
	w.servesOthers("film", 4, 2)
}
