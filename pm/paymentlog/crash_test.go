package paymentlog_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/tuttinode/tutti/pm/paymentlog"
)

// payForEver is the process that is killed: it says of each payment that it is on
// disk, and of some that their end is.
func payForEver(dir string) {
	ctx := context.Background()
	db, err := openDB(ctx, dir)
	if err != nil {
		panic(err)
	}
	s, issued, err := paymentlog.Open(ctx, paymentlog.Options{DB: db, Sender: payer})
	if err != nil {
		panic(err)
	}
	go func() { panic(s.Run(ctx, func() {})) }()
	first := uint32(1)
	for _, i := range issued {
		first = max(first, i.Last+1)
	}
	for n := first; ; n++ {
		p := payment(1, n, n)
		p.At = time.Now()
		w, err := s.Begin(p)
		if err == nil {
			err = w.Wait(ctx)
		}
		if err != nil {
			panic(err)
		}
		fmt.Println(n)
		if n%2 == 0 {
			s.Settle(w.ID, answered(1))
		}
	}
}

func TestAKilledGatewayForgetsNoPayment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sent := uint32(0)
	for round := range 8 {
		sent = killed(t, dir, sent, 5+7*round)
	}
	b := open(t, dir, nil)
	got := b.all(t)
	have := map[uint32]bool{}
	for _, p := range got {
		have[p.First] = true
		if p.State == paymentlog.Sent {
			t.Errorf("payment %d is still open", p.ID)
		}
	}
	for n := uint32(1); n <= sent; n++ {
		if !have[n] {
			t.Errorf("payment with nonce %d was handed out and is lost", n)
		}
	}
	r, err := b.Verify(t.Context())
	if err != nil || len(r.Problems) != 0 || r.States[paymentlog.Unknown] == 0 {
		t.Errorf("%+v %v", r, err)
	}
}

// killed runs the process until it has paid so often, kills it, and returns the
// last nonce that it said was on disk.
func killed(t *testing.T, dir string, sent uint32, payments int) uint32 {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), envDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		var nonce uint32
		if _, err := fmt.Sscan(lines.Text(), &nonce); err != nil {
			t.Error(lines.Text(), err)
		}
		if nonce <= sent {
			t.Errorf("nonce %d was used again", nonce)
		}
		sent = nonce
		if n == payments {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait() // it was killed
	return sent
}
