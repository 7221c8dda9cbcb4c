package endpoints

import (
	"context"
	"crypto/ecdsa"
	"math/big"
	"net/url"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

const (
	blockTime   = 100 * time.Millisecond
	roundLength = 1000
	// baseFee is the price of gas, in wei.
	baseFee = 1_000_000
)

// faceValue is what a winning ticket of these tests is worth.
var faceValue = core.NewWei(1e16)

// world is a chain with endpoints for a node and one more for the test, two
// orchestrators, and a gateway with funds.
type world struct {
	*testing.T
	chain   *devnet.Chain
	honest  *ethclient.Client
	pool    *endpoint.Pool
	at      contracts.Addresses
	reads   contracts.Reads
	gateway *ecdsa.PrivateKey
	// urls are the node's endpoints.
	urls []string
	// nonce is the sender nonce of the next ticket.
	nonce uint64
}

// newWorld starts a chain in a round that is initialized.
func newWorld(t *testing.T, endpoints int) *world {
	t.Helper()
	c := devnet.Start(t, devnet.Options{Endpoints: endpoints + 1, BlockTime: blockTime, RoundLength: roundLength})
	w := &world{T: t, chain: c, gateway: c.Key(1), urls: c.Info.Endpoints[:endpoints]}
	w.must(c.Control.Populate(t.Context(), control.Population{
		Orchestrators: 2, Base: core.LPTTokens(1000), ServiceURI: "https://127.0.0.1:1{n}", RewardCut: 100_000,
		FeeShare: 500_000,
	}))
	w.must(c.Control.SetBaseFee(t.Context(), core.NewWei(baseFee)))
	_, err := c.Control.NextRound(t.Context(), true)
	w.must(err)
	w.honest, err = ethclient.Dial(c.URL(endpoints))
	w.must(err)
	t.Cleanup(w.honest.Close)
	w.pool, err = endpoint.New(endpoint.Options{Endpoints: []endpoint.Endpoint{{URL: core.NewSecret(c.URL(endpoints))}}})
	w.must(err)
	t.Cleanup(w.pool.Close)
	w.at, err = contracts.Resolve(t.Context(), w.pool, core.Address(c.Info.Controller), contracts.ResolveOptions{})
	w.must(err)
	w.reads = contracts.NewReads(w.at)
	w.send(w.gateway, protocol.FundDepositAndReserve{Deposit: w.ether("20"), Reserve: w.ether("2")})
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) ether(s string) core.Wei {
	w.Helper()
	amount, err := core.ParseEther(s)
	w.must(err)
	return amount
}

// host is how a condition names one of the node's endpoints.
func (w *world) host(i int) string {
	w.Helper()
	u, err := url.Parse(w.urls[i])
	w.must(err)
	return u.Host
}

// send does an action with a key of the test's, through the honest endpoint.
func (w *world) send(key *ecdsa.PrivateKey, a protocol.Action) {
	w.Helper()
	call, err := contracts.NewCalls(w.at).For(a, contracts.BondHints{})
	w.must(err)
	nonce, err := w.honest.PendingNonceAt(w.Context(), control.Address(key))
	w.must(err)
	to, id := call.To(), new(big.Int).SetUint64(w.chain.Info.ChainID)
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, Gas: 2_000_000, GasFeeCap: big.NewInt(1e9), To: &to, Value: call.Value(),
		Data: call.Data(),
	})
	w.must(err)
	w.must(w.honest.SendTransaction(w.Context(), tx))
	w.until("the mined transaction", time.Minute, func() bool {
		r, err := w.honest.TransactionReceipt(w.Context(), tx.Hash())
		return err == nil && r.Status == types.ReceiptStatusSuccessful
	})
}

// until waits for a condition.
func (w *world) until(what string, limit time.Duration, holds func() bool) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			w.Fatalf("waited in vain for %s", what)
		case <-tick.C:
		}
	}
}

// round is the present round.
func (w *world) round() protocol.RoundState {
	w.Helper()
	head, err := w.pool.Head(w.Context())
	w.must(err)
	round, err := w.reads.LoadRound(w.Context(), w.pool, head.Number)
	w.must(err)
	return round
}

// winners are tickets of the gateway that won, and whose parameters have expired.
func (w *world) winners(recipient core.Address, n int) []pm.Winner {
	w.Helper()
	round := w.round()
	out := make([]pm.Winner, n)
	for i := range out {
		w.nonce++
		ticket := coretest.Ticket(w.gateway, recipient, faceValue, w.nonce, round)
		out[i] = pm.Winner{Hash: ticket.Hash(), Ticket: ticket, Account: pm.Account{Sender: ticket.Sender},
			ExpirationBlock: 1, Won: time.Now()}
	}
	return out
}

// used reports whether all of the tickets are redeemed on the chain.
func (w *world) used(all []pm.Winner) (n int) {
	w.Helper()
	reads := make([]contracts.Read, len(all))
	used := make([]bool, len(all))
	for i := range all {
		reads[i] = w.reads.UsedTicket(all[i].Hash, &used[i])
	}
	head, err := w.pool.Head(w.Context())
	w.must(err)
	w.must(contracts.ReadAll(w.Context(), w.pool, head.Number, reads...))
	for _, yes := range used {
		if yes {
			n++
		}
	}
	return n
}

// balance is an account's ether.
func (w *world) balance(of core.Address) *big.Int {
	w.Helper()
	b, err := w.honest.BalanceAt(w.Context(), common.Address(of), nil)
	w.must(err)
	return b
}
