package orchestrator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"testing"
	"testing/iotest"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
)

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestReceive(t *testing.T) {
	t.Parallel()
	recorded := 0
	for _, size := range []int{0, 1, 100, firstSize, firstSize + 1, growth * firstSize, growth*firstSize + 1,
		9*growth*firstSize + 7} {
		body := bytes.Repeat([]byte("0123456789abcde"), size/15+1)[:size]
		for name, said := range map[string]int64{"right": int64(size), "unknown": -1, "too little": int64(size / 2),
			"too much": int64(size) * 2} {
			for kind, r := range map[string]io.Reader{
				"whole": bytes.NewReader(body), "end with data": iotest.DataErrReader(bytes.NewReader(body)),
				"halves": iotest.HalfReader(bytes.NewReader(body)),
			} {
				b := newBudget(core.MaxSegmentBytes)
				u, err := receive(r, said, signature.Keccak, b, claim{}, func(n int) { recorded = n })
				if err != nil {
					t.Fatal(err)
				}
				want := signature.Keccak256(body)
				if !bytes.Equal(u.data, body) || !bytes.Equal(u.sum(), want[:]) {
					t.Errorf("%d bytes, length %s, %s: other bytes", size, name, kind)
				}
				if b.used != int64(cap(u.data)) {
					t.Errorf("%d bytes booked for %d", b.used, cap(u.data))
				}
				if name == "right" && cap(u.data) != size {
					t.Errorf("%d bytes: a buffer of %d", size, cap(u.data))
				}
				if size > 0 && recorded == 0 {
					t.Error("no progress was reported")
				}
				u.release()
				if b.used != 0 {
					t.Errorf("%d bytes stay booked", b.used)
				}
			}
		}
	}
}

func TestReceiveFails(t *testing.T) {
	t.Parallel()
	const limit = 1_000_000
	broken := errors.New("connection lost")
	for _, tc := range []struct {
		name string
		body io.Reader
		size int64
		max  int64
		want fault.Code
	}{
		{"said to be too large", bytes.NewReader(nil), limit + 1, limit, fault.SegmentUnreadable},
		{"too large", endless{}, -1, 4 * limit, fault.SegmentUnreadable},
		{"lost", iotest.ErrReader(broken), 100, limit, fault.SegmentUnreadable},
		{"lost in the middle", io.MultiReader(bytes.NewReader(make([]byte, 50)), iotest.ErrReader(broken)), 100, limit,
			fault.SegmentUnreadable},
		{"lost at its end", io.MultiReader(bytes.NewReader(make([]byte, 100)), iotest.ErrReader(broken)), 100, limit,
			fault.SegmentUnreadable},
		{"no room at the start", bytes.NewReader(nil), 100, 99, fault.UploadsFull},
		{"no room later", endless{}, -1, 2 * firstSize, fault.UploadsFull},
	} {
		b := newBudget(tc.max)
		u := &upload{hash: signature.StartBackgroundHash(signature.Keccak), budget: b, most: limit}
		err := u.receive(tc.body, tc.size, func(int) {})
		if fault.CodeOf(err) != tc.want {
			t.Errorf("%s: %v", tc.name, err)
		}
		if b.used != 0 {
			t.Errorf("%s: %d bytes stay booked", tc.name, b.used)
		}
	}
}

// TestAnnouncedLength: what is booked follows what came, not what was announced.
func TestAnnouncedLength(t *testing.T) {
	t.Parallel()
	b := newBudget(core.MaxSegmentBytes)
	const announced = 200 << 20
	body := io.MultiReader(bytes.NewReader(make([]byte, 1<<20)), iotest.ErrReader(io.ErrUnexpectedEOF))
	most := int64(0)
	_, err := receive(body, announced, signature.Keccak, b, claim{}, func(received int) {
		if most = max(most, b.used); b.used > int64(growth*received+firstSize) {
			t.Errorf("%d bytes booked for %d that came", b.used, received)
		}
	})
	if fault.CodeOf(err) != fault.SegmentUnreadable || most == 0 || b.used != 0 {
		t.Errorf("%v, at most %d bytes booked, %d left", err, most, b.used)
	}
}

// steps take bytes of a budget of 1200, each for a request of its own.
type steps []struct {
	peer    string
	covered int64
	n       int64
	want    bool
}

func (all steps) take(t *testing.T, b *budget) (out []*claim) {
	t.Helper()
	for i, step := range all {
		c := &claim{peer: step.peer, covered: step.covered}
		if got := b.take(step.n, c); got != step.want {
			t.Errorf("step %d, %d bytes for %q: %v", i, step.n, step.peer, got)
		}
		out = append(out, c)
	}
	return out
}

// TestUnpaidShare: unpaid bytes leave memory to paid work, those of peers that never paid
// to those that did, and those of one peer to other peers.
func TestUnpaidShare(t *testing.T) {
	t.Parallel()
	b := newBudget(1200)
	b.paid(&claim{peer: "payer"}) // a request that is over
	claims := steps{
		{"a", 0, 150, true}, {"a", 0, 150, true}, {"a", 0, 1, false},
		{"b", 0, 300, true}, {"b", 0, 1, false}, {"c", 0, 1, false},
		{"payer", 0, 300, true}, {"payer", 0, 1, false}, {"other", 100, 100, true}, {"other", 100, 101, false},
		{"payer", 100, 50, false}, // it has more than is left
	}.take(t, b)
	b.paid(claims[0])
	if b.unpaid != 750 {
		t.Errorf("what was paid for still counts as unpaid: %d", b.unpaid)
	}
	for _, c := range claims {
		b.release(c.bytes, c)
	}
	if b.used != 0 || b.unpaid != 0 || len(b.peers) != 0 {
		t.Errorf("%d bytes, %d unpaid, %v stay booked", b.used, b.unpaid, b.peers)
	}
}

// TestShareOfPaidWork: what one peer has, however it was paid, is at most what is left for
// all others.
func TestShareOfPaidWork(t *testing.T) {
	t.Parallel()
	const all = math.MaxInt64
	b := newBudget(1200)
	steps{
		{"a", all, 600, true}, {"a", all, 1, false},
		{"b", all, 300, true}, {"b", all, 1, false},
		{"c", all, 150, true}, {"d", 0, 75, true}, {"e", all, 76, false},
	}.take(t, b)
}

// TestUnknownPeersBesideALonePayer: a payer that has half of the memory leaves enough for many peers
// that never paid.
func TestUnknownPeersBesideALonePayer(t *testing.T) {
	t.Parallel()
	b := newBudget(DefaultUploadBytes)
	steps{{"payer", math.MaxInt64, DefaultUploadBytes / 2, true}, {"payer", math.MaxInt64, 1, false}}.take(t, b)
	const segment = 10 << 20
	for n := range 24 {
		steps{{fmt.Sprint("unknown ", n), 0, segment, true}}.take(t, b)
	}
}

// TestTheOnlyRequestOfAPeer: a peer that never paid can send the largest segment.
func TestTheOnlyRequestOfAPeer(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{core.MaxSegmentBytes, core.MaxSegmentBytes - 1, 200_000_000} {
		b := newBudget(core.MaxSegmentBytes / 2 * 5)
		u, err := receive(io.LimitReader(endless{}, size), size, signature.Keccak, b, claim{peer: "a"}, func(int) {})
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		u.release()
	}
}

// TestPayersAreBounded: that others pay as well does not make a payer unknown.
func TestPayersAreBounded(t *testing.T) {
	t.Parallel()
	b := newBudget(1200)
	for i := range maxPayers + 100 {
		b.paid(&claim{peer: strconv.Itoa(i)})
	}
	if len(b.payers) != maxPayers {
		t.Errorf("%d payers are remembered", len(b.payers))
	}
}

func BenchmarkReceive(b *testing.B) {
	body := make([]byte, 1_500_000)
	budget := newBudget(core.MaxSegmentBytes)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		u, err := receive(bytes.NewReader(body), int64(len(body)), signature.Keccak, budget, claim{}, func(int) {})
		if err != nil {
			b.Fatal(err)
		}
		u.sum()
		u.release()
	}
}

// TestBodiesInAnothersName: bodies that come in a gateway's name from an address from which it has not
// paid take nothing of its share.
func TestBodiesInAnothersName(t *testing.T) {
	t.Parallel()
	b := newBudget(1000)
	first := b.jobClaim("g", "g at 1")
	if !b.take(200, &first) {
		t.Fatal("the first body of all")
	}
	b.paid(&first)
	b.release(200, &first)
	copied := b.jobClaim("g", "g at 2")
	if !b.take(500, &copied) {
		t.Fatal("a body of an address that is not known")
	}
	if c := b.jobClaim("g", "g at 2"); b.take(1, &c) {
		t.Error("more than its share for those that never paid")
	}
	own := b.jobClaim("g", "g at 1")
	if !b.take(200, &own) {
		t.Error("the gateway's own body")
	}
	b.release(200, &own)
	b.release(500, &copied)
	if b.used != 0 || b.unpaid != 0 || len(b.peers) != 0 {
		t.Errorf("left over: %d, %d, %v", b.used, b.unpaid, b.peers)
	}
}
