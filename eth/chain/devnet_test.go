package chain_test

import (
	"crypto/ecdsa"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/test/devnet"
)

func TestChainOnDevnet(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 50})
	began := time.Now()
	n := start(t, c, c.Key(1), nil)
	eventually(t, "a view", func() bool { return n.View().Known })
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the first view took %v", took)
	}
	coretest.TestChain(t, coretest.ChainBench{
		Ports: n,
		NextRound: func(t *testing.T) {
			if _, err := c.Control.NextRound(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		},
		Gateway: func(t *testing.T, deposit, reserve core.Wei) *ecdsa.PrivateKey {
			start(t, c, c.Key(2), nil).send(t, protocol.FundDepositAndReserve{Deposit: deposit, Reserve: reserve})
			return c.Key(2)
		},
	})
}
