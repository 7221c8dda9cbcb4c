package main

import (
	"math/big"
	"sync"

	"github.com/tuttinode/tutti/server/rpc"
)

// wallet is what all clients of one gateway share towards one orchestrator: one set of
// ticket parameters, the nonce that comes next, and what is left of earlier payments.
type wallet struct {
	mu      sync.Mutex
	info    *rpc.OrchestratorInfo
	ev      *big.Rat
	nonce   uint32
	balance *big.Rat
	// sets is how many sets of parameters there have been.
	sets int
}

// spending is one payment before it is signed.
type spending struct {
	info     *rpc.OrchestratorInfo
	first    uint32
	tickets  int
	existing *big.Rat
	worth    *big.Rat
}

// fill takes new parameters, whose nonces begin at 1.
func (p *wallet) fill(info *rpc.OrchestratorInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.info, p.ev, p.nonce = info, expected(info.GetTicketParams()), 1
	p.sets++
	if p.balance == nil {
		p.balance = new(big.Rat)
	}
}

// current are the present parameters.
func (p *wallet) current() *rpc.OrchestratorInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.info
}

// take reserves the tickets that a job of so many units needs besides what is left,
// which is out of the wallet until the job has ended.
func (p *wallet) take(units int64) spending {
	p.mu.Lock()
	defer p.mu.Unlock()
	need := cost(p.info, units)
	if need.Cmp(p.ev) < 0 {
		need = p.ev
	}
	s := spending{info: p.info, first: p.nonce, existing: p.balance}
	p.balance = new(big.Rat)
	if missing := new(big.Rat).Sub(need, s.existing); missing.Sign() > 0 {
		s.tickets = roundUp(missing.Quo(missing, p.ev))
	}
	p.nonce += uint32(s.tickets)
	s.worth = new(big.Rat).Mul(p.ev, big.NewRat(int64(s.tickets), 1))
	return s
}

// served puts back what a job left over.
func (p *wallet) served(s spending, units int64) {
	left := new(big.Rat).Add(s.existing, s.worth)
	left.Sub(left, cost(s.info, units))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.balance.Add(p.balance, left)
}

// cost is what so many units cost.
func cost(info *rpc.OrchestratorInfo, units int64) *big.Rat {
	price := info.GetPriceInfo()
	return new(big.Rat).Mul(big.NewRat(price.GetPricePerUnit(), price.GetPixelsPerUnit()), big.NewRat(units, 1))
}

// roundUp is the least whole number that is not less.
func roundUp(r *big.Rat) int {
	n := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	return int(n.Quo(n, r.Denom()).Int64())
}
