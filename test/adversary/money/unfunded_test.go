package money

import (
	"fmt"
	"math/big"
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
)

// unfunded makes a payer whose funds pay what five tickets are worth.
func (w *world) unfunded() *payer {
	w.Helper()
	return w.newPayerWith(5, big.NewInt(1), big.NewInt(40_000_000_000))
}

// winners is how many winning tickets of a payer the books have.
func (p *payer) winners() (n int) {
	p.Helper()
	_, _ = fmt.Sscan(p.query(`SELECT count(*) FROM ledger_winner WHERE sender = ?`, p.address[:]), &n)
	return n
}

// TestTicketsBeyondFunds: a gateway whose funds pay about one winning ticket sends thousands of
// tickets, of which one in five wins. It gets no work for tickets that its funds cannot pay, and
// its worthless winners fill neither the books nor the memory.
func TestTicketsBeyondFunds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.newPayer(6).served(4)
	p := w.unfunded()
	info := p.offer(wants(capability.LLM))
	terms := info.GetTicketParams()
	face := new(big.Int).SetBytes(terms.GetFaceValue())
	t.Logf("a ticket pays %s wei when it wins and is worth %d", face, ticketWei(info))
	// The parameters came before the flood: afterwards the gateway gets no new ones.
	const each, times = 600, 16
	for i := range times {
		status, text := p.ask(info, p.pay(info, each), "Count.", 1000)
		if status == http.StatusOK {
			t.Errorf("payment %d: %d tickets of a gateway that can pay 5 brought work for 1000 tokens", i, each)
		}
		if i == 0 {
			t.Logf("the first payment: %d %.80s", status, text)
		}
	}
	if n := p.winners(); n > 100 {
		t.Errorf("the books have %d winners of a gateway that can pay one", n)
	}
}
