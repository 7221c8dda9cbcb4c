package txmgr_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// slowBalance is an endpoint that takes its time.
type slowBalance struct {
	txmgr.Backend
	takes time.Duration
}

func (b slowBalance) BalanceAt(ctx context.Context, a common.Address, n protocol.L2Block) (core.Wei, error) {
	<-time.After(b.takes)
	return b.Backend.BalanceAt(ctx, a, n)
}

// A caller that leaves while the balance is read was notified of no transaction, so
// none may be sent.
func TestNothingIsSentForACallerThatLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.stop()
		r.through(func(b txmgr.Backend) txmgr.Backend { return slowBalance{b, 10 * time.Second} })
		defer func() { r.stop() }()
		s := r.send(act("bond"), protocol.SendOptions{})
		<-time.After(2 * time.Second)
		s.cancel()
		<-s.done
		if !errors.Is(s.err, context.Canceled) || s.tx.ID != 0 {
			t.Fatalf("%+v %v", s.tx, s.err)
		}
		<-time.After(time.Minute)
		r.beat(3)
		if len(r.journal.all()) != 0 || r.chain.done("bond") != 0 {
			t.Error("sent after the caller got no transaction")
		}
	})
}

// slowSigner takes its time to sign.
type slowSigner struct {
	signer
	takes time.Duration
}

func (s slowSigner) Sign(c account.Call, t account.Terms) (*types.Transaction, error) {
	<-time.After(s.takes)
	return s.signer.Sign(c, t)
}

// A caller that leaves while its transaction is signed learns which it is.
func TestACallerThatLeavesWhileSigningLearnsTheTransaction(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.Signer = slowSigner{newSigner(), 3 * time.Second} }, func(t *testing.T, r *rig) {
		s := r.send(act("bond"), protocol.SendOptions{})
		<-time.After(time.Second)
		s.cancel()
		<-s.done
		if s.tx.ID != 1 || s.tx.Hash.IsZero() || !errors.Is(s.err, context.Canceled) {
			t.Errorf("%+v %v", s.tx, s.err)
		}
		if r.settled(); r.chain.done("bond") != 1 {
			t.Error("it did not go on")
		}
	})
}
