package orchestrator_test

import (
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
)

// slowDisk has valid tickets wait until their write ends with the given error.
func (c *chainNode) slowDisk() (written chan<- error) {
	w := make(chan error)
	c.pay.OnAdmit = func(job *pm.Job) error {
		if job.Verified != nil {
			job.Verified()
		}
		return <-w
	}
	return w
}

// answered sends a request, and reports its status when it has come.
func answered(t *testing.T, client *http.Client, req *http.Request) <-chan *http.Response {
	t.Helper()
	out := make(chan *http.Response, 1)
	go func() {
		defer close(out)
		res, err := client.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		out <- res
	}()
	return out
}

// A segment is transcoded while its tickets are written to disk, and acknowledged after that.
func TestASegmentBeginsWhileItsPaymentIsWritten(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		c := newChainNode(t)
		written, working := c.slowDisk(), make(chan struct{})
		c.fake.On = func(context.Context, int, *core.TranscodeJob) error { close(working); return nil }
		res := answered(t, client(c.aiNode), c.segment(c.terms(nil), 3))
		<-working
		select {
		case r := <-res:
			t.Fatalf("%s before the tickets are on disk", r.Status)
		default:
		}
		if len(c.pay.Work()) != 0 {
			t.Errorf("billed %v before the tickets are on disk", c.pay.Work())
		}
		written <- nil
		r := <-res
		body, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil || r.StatusCode != http.StatusOK || len(result(t, body).GetData().GetSegments()) == 0 {
			t.Errorf("%s %v", r.Status, err)
		}
		c.stop()
		if len(c.pay.Work()) != 1 || c.pay.Open() != 0 {
			t.Errorf("billed %v, %d holds open", c.pay.Work(), c.pay.Open())
		}
	})
}

// A segment whose tickets cannot be written is refused as before the work, which ends and is not billed.
func TestASegmentWhosePaymentIsNotWritten(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	written, working, ended := c.slowDisk(), make(chan struct{}), make(chan struct{})
	c.fake.On = func(ctx context.Context, _ int, _ *core.TranscodeJob) error {
		close(working)
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	}
	res := answered(t, c.h1, c.segment(c.terms(nil), 3))
	<-working
	written <- fault.New(fault.LedgerFull, "book a payment", "")
	r := <-res
	<-ended
	_ = r.Body.Close()
	if r.StatusCode == http.StatusOK || r.Header.Get("Tutti-Code") != string(fault.LedgerFull) {
		t.Errorf("%s %v", r.Status, r.Header)
	}
	c.stop()
	if len(c.pay.Work()) != 0 || c.pay.Open() != 0 {
		t.Errorf("billed %v, %d holds open", c.pay.Work(), c.pay.Open())
	}
}

// A model is asked while the tickets of a request are written to disk; nothing of its answer is sent before.
func TestAModelIsAskedWhileThePaymentIsWritten(t *testing.T) {
	t.Parallel()
	for name, outcome := range map[string]error{"written": nil, "full": fault.New(fault.LedgerFull, "book", "")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChainNode(t)
			written, asked := c.slowDisk(), make(chan struct{})
			var closed atomic.Bool
			c.worker.Answer = func(context.Context, *inference.Job) (*inference.Reply, error) {
				defer close(asked)
				return &inference.Reply{Status: 200, ContentType: "application/json", Length: int64(len(plainAnswer)),
					Body: recordedClose{io.NopCloser(strings.NewReader(plainAnswer)), &closed}}, nil
			}
			res := answered(t, c.h1, asOwn(c.llm(c.terms(wantsLlama()), 2, paidChat)))
			<-asked
			select {
			case r := <-res:
				t.Fatalf("%s before the tickets are on disk", r.Status)
			default:
			}
			written <- outcome
			r := <-res
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
			c.free()
			billed := 1
			if outcome != nil {
				billed = 0
			}
			if (r.StatusCode == http.StatusOK) != (outcome == nil) || len(c.pay.Work()) != billed ||
				c.pay.Open() != 0 || !closed.Load() {
				t.Errorf("%s, billed %v, %d holds open, closed %v", r.Status, c.pay.Work(), c.pay.Open(), closed.Load())
			}
		})
	}
}

// recordedClose records that it was closed.
type recordedClose struct {
	io.ReadCloser
	closed *atomic.Bool
}

// Close records it.
func (n recordedClose) Close() error {
	n.closed.Store(true)
	return n.ReadCloser.Close()
}

// A result is signed over SHA-256 for a gateway that accepts it, and the answer names the hash.
func TestAResultIsSignedOverSHA256(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	for _, accepts := range []bool{true, false} {
		_, body := do(t, c.h1, c.segment(c.terms(nil), 3, func(m *rpc.SegmentMeta) { m.AcceptsSHA256 = accepts }))
		m := result(t, body).GetData()
		var hashes [][signature.HashSize]byte
		for _, s := range m.GetSegments() {
			_, data := get(t, c.h1, s.GetUrl())
			if accepts {
				hashes = append(hashes, sha256.Sum256(data))
			} else {
				hashes = append(hashes, signature.Keccak256(data))
			}
		}
		signed := signature.Result(hashes)
		err := signature.EthVerify(crypto.PubkeyToAddress(c.self.key.PublicKey), signed[:], m.GetSig())
		if err != nil || m.GetSha256() != accepts {
			t.Errorf("accepts %v, says %v: %v", accepts, m.GetSha256(), err)
		}
	}
}

// A segment that is refused after its payment was taken is refused when that is on disk: the gateway counts the tickets
// as credited then.
func TestARefusalFollowsThePayment(t *testing.T) {
	t.Parallel()
	for name, outcome := range map[string]error{"written": nil, "full": fault.New(fault.LedgerFull, "book", "")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChainNode(t)
			written := make(chan error)
			admitting := make(chan struct{})
			c.pay.OnAdmit = func(job *pm.Job) error {
				job.Verified()
				close(admitting)
				return <-written
			}
			req := c.segment(c.terms(nil), 3)
			req.Body = io.NopCloser(strings.NewReader(strings.Repeat("x", int(req.ContentLength))))
			res := answered(t, c.h1, req)
			<-admitting
			written <- outcome
			r := <-res
			_ = r.Body.Close()
			want := fault.SegmentHashMismatch
			if outcome != nil {
				want = fault.LedgerFull
			}
			if got := r.Header.Get("Tutti-Code"); got != string(want) {
				t.Errorf("%s %q, expected %s", r.Status, got, want)
			}
		})
	}
}

// A panic during the work, which fails the job alone, leaves nothing that uses its connection.
func TestAPanicWhileAPaymentIsWritten(t *testing.T) {
	t.Parallel()
	for i := range 20 {
		c := newChainNode(t)
		written, working := c.slowDisk(), make(chan struct{})
		c.fake.On = func(context.Context, int, *core.TranscodeJob) error { close(working); panic("defect") }
		c.worker.Answer = func(context.Context, *inference.Job) (*inference.Reply, error) { close(working); panic("defect") }
		req := c.segment(c.terms(nil), 3)
		if i%2 == 1 {
			req = asOwn(c.llm(c.terms(wantsLlama()), 2, paidChat))
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if res, err := c.h1.Do(req); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		}()
		<-working
		written <- nil
		<-ended
		c.stop()
		if len(c.pay.Work()) != 0 || c.pay.Open() != 0 {
			t.Errorf("billed %v, %d holds open", c.pay.Work(), c.pay.Open())
		}
	}
}
