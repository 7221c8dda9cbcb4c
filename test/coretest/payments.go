package coretest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Payments is an orchestrate.Payments that takes every ticket at its expected value
// and keeps its accounts in memory, by the rule that real ones keep: a job comes in
// if what is not set aside carries a ticket's value, and begins if the balance
// does. It watches that its callers end every hold. Set the fields before the
// first call.
type Payments struct {
	// Price is that of transcoding, Models those of models; a model without one
	// costs Price.
	Price  pm.Price
	Models map[inference.Model]pm.Price
	// EV is what a balance must carry, FaceValue and WinProb what terms offer.
	EV        core.Wei
	FaceValue core.Wei
	WinProb   protocol.Word
	Recipient core.Address
	// Expires is the block in terms.
	Expires protocol.L1Block
	// OnTerms, OnMayPay and OnAdmit may refuse.
	OnTerms  func(*pm.Quote) error
	OnMayPay func(*pm.Job) error
	OnAdmit  func(*pm.Job) error

	mu       sync.Mutex // covers the fields below
	balances map[pm.Account]pm.Value
	aside    map[pm.Account]pm.Value
	seed     uint64
	open     int
	work     []pm.Work
	produced []int64
	jobs     []pm.Job
	faults   []string
}

var _ orchestrate.Payments = (*Payments)(nil)

// Quote adds the models' prices up.
func (p *Payments) Quote(_ context.Context, sender core.Address, models []inference.Model) (pm.Quote, error) {
	q := pm.Quote{Sender: sender, Price: p.Price, Models: slices.Clone(models)}
	if len(models) > 0 {
		sum := new(big.Rat)
		for _, m := range models {
			sum.Add(sum, p.price(m).Rat())
		}
		q.Price = pm.Price{PerUnit: sum.Num().Int64(), PixelsPerUnit: sum.Denom().Int64()}
	}
	return q, nil
}

func (p *Payments) price(m inference.Model) pm.Price {
	if price, ok := p.Models[m]; ok {
		return price
	}
	return p.Price
}

// ModelPrices lists Models in order.
func (p *Payments) ModelPrices(core.Address) []orchestrate.ModelPrice {
	var out []orchestrate.ModelPrice
	for m, price := range p.Models {
		out = append(out, orchestrate.ModelPrice{Model: m, Price: price})
	}
	slices.SortFunc(out, func(a, b orchestrate.ModelPrice) int { return int(a.Model.Capability - b.Model.Capability) })
	return out
}

// Terms have a fresh seed each time.
func (p *Payments) Terms(_ context.Context, q *pm.Quote) (*pm.Params, error) {
	if p.OnTerms != nil {
		if err := p.OnTerms(q); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seed++
	out := &pm.Params{Recipient: p.Recipient, FaceValue: p.FaceValue, WinProb: p.WinProb, ExpirationBlock: p.Expires}
	binary.BigEndian.PutUint64(out.Seed[24:], p.seed)
	out.RecipientRandHash = protocol.Hash(out.Seed)
	return out, nil
}

// MayPay holds tickets for good, and asks for the balance otherwise.
func (p *Payments) MayPay(_ context.Context, job *pm.Job) error {
	if p.OnMayPay != nil {
		if err := p.OnMayPay(job); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.balances[job.Account].Sub(p.aside[job.Account])
	if job.Quote.Price.Free() || job.Payment.Params != nil && len(job.Payment.Tickets) > 0 ||
		left.Cmp(pm.WeiValue(p.EV)) >= 0 {
		return nil
	}
	return fault.New(fault.InsufficientBalance, "ask for a payment", "")
}

// Admit credits the tickets and sets the estimate aside.
func (p *Payments) Admit(_ context.Context, job *pm.Job) (pm.Hold, error) {
	const op = "admit payment"
	if p.OnAdmit != nil {
		if err := p.OnAdmit(job); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs = append(p.jobs, *job)
	if job.Payment.Expected == nil || !job.Payment.Expected.Equal(job.Quote.Price) || !job.Quote.Covers(job.Model) {
		return nil, fault.New(fault.ExpectedPriceWrong, op, "")
	}
	if p.balances == nil {
		p.balances, p.aside = make(map[pm.Account]pm.Value), make(map[pm.Account]pm.Value)
	}
	if job.Payment.Params != nil {
		credit := job.Payment.Params.EV().Times(int64(len(job.Payment.Tickets)))
		p.balances[job.Account] = p.balances[job.Account].Add(credit)
	}
	left := p.balances[job.Account].Sub(p.aside[job.Account])
	if !job.Quote.Price.Free() && left.Cmp(pm.WeiValue(p.EV)) < 0 {
		return nil, fault.New(fault.InsufficientBalance, op, "")
	}
	h := &held{p: p, job: *job, aside: job.Quote.Price.Of(job.Estimate)}
	p.aside[job.Account] = p.aside[job.Account].Add(h.aside)
	p.open++
	return h, nil
}

// Balance returns what an account has.
func (p *Payments) Balance(a pm.Account) pm.Value {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.balances[a]
}

// Open returns how many holds have not ended.
func (p *Payments) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}

// Work returns what was billed, in its order, and Produced what was noted afterwards.
func (p *Payments) Work() []pm.Work {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.work)
}

// Produced returns what was noted after bills, in its order.
func (p *Payments) Produced() []int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.produced)
}

// Jobs returns those that asked to be admitted.
func (p *Payments) Jobs() []pm.Job {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.jobs)
}

// Violations says how callers broke the contract; an open hold is one.
func (p *Payments) Violations() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := slices.Clone(p.faults)
	if p.open != 0 {
		out = append(out, fmt.Sprintf("%d holds were not ended", p.open))
	}
	return out
}

// Covers says that work of any size is paid.
func (*held) Covers(int64) error { return nil }
