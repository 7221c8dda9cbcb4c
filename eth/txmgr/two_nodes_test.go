package txmgr_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// pair is two nodes with one account, each with its own journal: an operator's mistake that must cost no
// action, and do none twice.
type pair struct {
	rt    *rapid.T
	nodes [2]*rig
	sends []*asked
}

func (p *pair) draw(name string, n int) int { return rapid.IntRange(0, n-1).Draw(p.rt, name) }

// tick makes n blocks, a second apart. mines: they take what the pool has.
func (p *pair) tick(n int, mines bool) {
	chain := p.nodes[0].chain
	for range n {
		if mines {
			chain.mine(1)
		} else {
			chain.set(func() { chain.seal(nil) })
		}
		for _, r := range p.nodes {
			r.m.OnHead(chain.head())
		}
		<-time.After(time.Second)
		synctest.Wait()
	}
}

func (p *pair) actions() map[string]func(*rapid.T) {
	chain := p.nodes[0].chain
	return map[string]func(*rapid.T){
		"send": func(*rapid.T) {
			name := fmt.Sprintf("plain %d", len(p.sends))
			s := p.nodes[p.draw("node", 2)].send(act(name), protocol.SendOptions{Async: p.draw("async", 3) == 0})
			p.sends = append(p.sends, &asked{s, name, ""})
		},
		"tick":        func(*rapid.T) { p.tick(1+p.draw("blocks", 40), p.draw("mines", 3) > 0) },
		"time":        func(*rapid.T) { p.tick(60*(1+p.draw("minutes", 8)), false) },
		"kill":        func(*rapid.T) { r := p.nodes[p.draw("node", 2)]; r.kill(); r.start() },
		"forget":      func(*rapid.T) { chain.forget() },
		"swallow":     func(*rapid.T) { chain.set(func() { chain.swallow = p.draw("swallowed", 3) }) },
		"loseAnswers": func(*rapid.T) { chain.set(func() { chain.loseAnswers = p.draw("answers", 3) }) },
		"noReceipts":  func(*rapid.T) { chain.set(func() { chain.noReceipts = !chain.noReceipts }) },
		"strict":      func(*rapid.T) { chain.set(func() { chain.strict = !chain.strict }) },
		"spike":       func(*rapid.T) { chain.set(func() { chain.base = uint64(1+p.draw("gwei", 20)) * gwei }) },
		"calm":        func(*rapid.T) { chain.set(func() { chain.base = gwei }) },
	}
}

// over reports whether all requests are answered and all transactions settled.
func (p *pair) over() bool {
	for _, s := range p.sends {
		if !s.over() {
			return false
		}
	}
	for _, r := range p.nodes {
		for _, tx := range r.journal.all() {
			if !tx.Settled {
				return false
			}
		}
	}
	return true
}

func (p *pair) check() {
	chain := p.nodes[0].chain
	chain.set(func() {
		chain.base, chain.swallow, chain.loseAnswers, chain.strict, chain.noReceipts = gwei, 0, 0, false, false
	})
	for minutes := 0; !p.over(); minutes++ {
		if minutes == 60 {
			p.rt.Fatalf("something never ends: %+v, %+v", p.nodes[0].m.Transactions(), p.nodes[1].m.Transactions())
		}
		p.tick(60, true)
	}
	for _, s := range p.sends {
		done := chain.done(s.name)
		_, failed := errors.AsType[*fault.Fault](s.err)
		switch state := s.tx.State; {
		case done > 1:
			p.rt.Fatalf("%q was done %d times", s.name, done)
		case failed && state != protocol.TxSubmitted && done == 1:
			p.rt.Fatalf("%q failed with %v and is done", s.name, s.err)
		case s.err == nil && (state == protocol.TxMined || state == protocol.TxFinal) && done != 1:
			p.rt.Fatalf("%q was mined and is not done", s.name)
		}
	}
}

func liveAsPair(rt *rapid.T) {
	change := func(o *txmgr.Options) { o.InFlight, o.MaxGasPrice = 4, core.NewWei(12*gwei) }
	p := &pair{rt: rt, nodes: [2]*rig{newRig(rt, change), newRig(rt, change)}}
	first, second := p.nodes[0], p.nodes[1]
	second.kill()
	second.chain, second.journal.genesis = first.chain, protocol.Hash{}
	first.chain.onSend = func(*types.Transaction) {} // the journals are two
	second.start()
	defer func() {
		first.stop()
		second.stop()
		for _, s := range p.sends {
			<-s.done
		}
	}()
	rt.Repeat(p.actions())
	p.check()
}

func TestTwoNodesOfOneAccountDoNothingTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var failure any
		synctest.Test(t, func(*testing.T) {
			// What ends the property must leave the bubble after its goroutines.
			defer func() { failure = recover() }()
			liveAsPair(rt)
		})
		if fmt.Sprintf("%T", failure) == "rapid.invalidData" {
			panic(failure) // in a line of its own: rapid knows failures by where they come from
		}
		if failure != nil {
			panic(failure)
		}
	})
}
