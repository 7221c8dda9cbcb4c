package broker_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/mattn/go-sqlite3"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// l1 is a chain whose height tests change.
type l1 struct {
	height  atomic.Uint64
	deposit core.Wei
}

func (c *l1) View() protocol.View {
	return protocol.View{Known: true, Head: protocol.Head{L1: protocol.L1Block(c.height.Load())}}
}

func (c *l1) SenderFunds(context.Context, core.Address) (protocol.SenderFunds, error) {
	return protocol.SenderFunds{Sender: protocol.Sender{Deposit: c.deposit,
		Reserve: protocol.Reserve{FundsRemaining: core.NewWei(1)}}}, nil
}

// wallet is what a gateway pays with.
type wallet struct {
	chain  l1
	book   *paymentlog.Store
	sender *sender.Sender
	pay    *upstream.TicketPayments
}

func newWallet(t testing.TB) *wallet {
	t.Helper()
	key, err := crypto.HexToECDSA(strings.Repeat("01", 32))
	if err != nil {
		t.Fatal(err)
	}
	account := core.Address(crypto.PubkeyToAddress(key.PublicKey))
	d := database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
	db, err := d.Open(t.Context(), t.TempDir(), func(context.Context, *sql.DB) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	p := &wallet{}
	p.chain.height.Store(1000)
	p.chain.deposit = core.NewWei(1 << 60)
	var issued []paymentlog.Issued
	if p.book, issued, err = paymentlog.Open(t.Context(), paymentlog.Options{DB: db, Sender: account}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- p.book.Run(ctx, func() {}) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, p.book.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	sign := func(m signature.Message) ([]byte, error) { return signature.EthSign(key, m.Bytes()) }
	p.sender = sender.New(sender.Options{
		Account: account, Sign: sign, Chain: &p.chain, Book: p.book, Issued: issued,
		Limits: pm.Limits{MaxEV: core.NewWei(1 << 40), MaxTotalEV: core.NewWei(1 << 50)},
	})
	p.pay = upstream.NewTicketPayments(upstream.TicketOptions{Sender: p.sender, Sign: sign})
	return p
}

// paying makes a broker pay with a wallet.
func paying(p *wallet, more func(*broker.Options)) func(*broker.Options, *upstream.Options) {
	return func(o *broker.Options, up *upstream.Options) {
		up.Payments = p.pay
		if more != nil {
			more(o)
		}
	}
}

// till is a paid orchestrator's side of paying: it counts nonces and keeps the one
// balance by the network's rules. It does not look at signatures.
type till struct {
	// nonces is how many it takes under one set, ev each ticket's value.
	nonces int
	ev     int64
	chain  *l1
	// handle does the work once it is paid for.
	handle http.HandlerFunc

	sets    atomic.Uint32
	mu      sync.Mutex
	seen    map[string]map[uint32]bool
	balance *big.Rat
	refused map[string]int
	paid    int64 // tickets
}

const ticketEV = 100

// charge makes a fake one that is paid: 1 wei a unit.
func (o *orchestrator) charge(p *wallet, nonces int) *till {
	l := &till{nonces: nonces, ev: ticketEV, chain: &p.chain, seen: map[string]map[uint32]bool{},
		refused: map[string]int{}, balance: new(big.Rat)}
	l.handle = func(w http.ResponseWriter, _ *http.Request) { answer(w, o.name) }
	o.offers(func(i *rpc.OrchestratorInfo) {
		i.Address = append(make([]byte, 19), 7)
		i.PriceInfo = &rpc.PriceInfo{PricePerUnit: 1, PixelsPerUnit: 1}
		i.TicketParams = l.params()
	}).does(func(_ int, w http.ResponseWriter, r *http.Request) {
		if why := l.take(r.Header.Get("Livepeer-Payment")); why != "" {
			http.Error(w, why, http.StatusBadRequest)
			return
		}
		l.handle(w, r)
	})
	return l
}

// params are a new set; from half a set on they are certain to be another one.
func (l *till) params() *rpc.TicketParams {
	n := l.sets.Add(1)
	face := core.NewWei(uint64(l.ev) * 100)
	return rpc.ToTicketParams(&pm.Params{
		Recipient: core.Address{19: 7}, FaceValue: face, WinProb: pm.WinProb(face, core.NewWei(uint64(l.ev))),
		RecipientRandHash: protocol.Hash{1, byte(n >> 16), byte(n >> 8), byte(n)}, ExpirationBlock: l.chain.View().Head.L1 +
			40,
		Expiration: pm.Expiration{Round: 1, BlockHash: protocol.Hash{3}},
	})
}

// take takes a payment for a job of 8 units; why it is refused is the answer.
func (l *till) take(header string) (why string) {
	raw, err := base64.StdEncoding.DecodeString(header)
	m := new(rpc.Payment)
	if err != nil || proto.Unmarshal(raw, m) != nil {
		return "no payment"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() {
		if why != "" {
			l.refused[strings.SplitN(why, ":", 2)[0]]++
		}
	}()
	if m.GetTicketParams() != nil {
		p, err := rpc.FromTicketParams(m.GetTicketParams())
		if err != nil {
			return err.Error()
		}
		if p.ExpirationBlock <= l.chain.View().Head.L1 {
			return "TicketParams expired"
		}
		set := l.seen[p.RecipientRandHash.String()]
		if set == nil {
			set = map[uint32]bool{}
			l.seen[p.RecipientRandHash.String()] = set
		}
		ev := p.EV().Rat()
		for _, ticket := range m.GetTicketSenderParams() {
			switch n := ticket.GetSenderNonce(); {
			case set[n]:
				return fmt.Sprintf("invalid ticket senderNonce: already seen nonce=%d", n)
			case len(set) >= l.nonces:
				return fmt.Sprintf("invalid ticket senderNonce: too many values nonce=%d", n)
			default:
				set[n] = true
				l.paid++
				l.balance.Add(l.balance, ev)
			}
		}
	}
	if l.balance.Cmp(big.NewRat(l.ev, 1)) < 0 {
		return "Insufficient balance"
	}
	l.balance.Sub(l.balance, big.NewRat(8, 1))
	return ""
}

func (l *till) refusals() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]int{}
	for k, v := range l.refused {
		out[k] = v
	}
	return out
}
