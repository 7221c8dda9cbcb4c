package txmgr_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// model is a life of the account: sends, deaths of the process, and everything a
// chain and its endpoints do.
type model struct {
	*rig
	rt    *rapid.T
	sends []*asked
	// intruded: another program used the key; then an answer of success may be undone
	// for good, by a reorg that gives the nonce away.
	intruded, undone bool
}

type asked struct {
	*sending
	name, once string
}

func (m *model) draw(name string, n int) int { return rapid.IntRange(0, n-1).Draw(m.rt, name) }

func (m *model) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"send":     func(*rapid.T) { m.ask("") },
		"sendOnce": func(*rapid.T) { m.ask(fmt.Sprintf("once %d", m.draw("once", 3))) },
		"beat":     func(*rapid.T) { m.revive(); m.beat(1 + m.draw("blocks", 8)) },
		"time":     func(*rapid.T) { m.revive(); m.idle(time.Duration(1+m.draw("minutes", 8)) * time.Minute) },
		"kill":     func(*rapid.T) { m.kill(); m.start() },
		"dieSoon":  func(*rapid.T) { m.gate.dieAfter(1 + m.draw("effects", 4)) },
		"undo": func(*rapid.T) {
			m.undone = true
			m.chain.undo(1+m.draw("depth", 12), rapid.Bool().Draw(m.rt, "lost"))
		},
		"intrude":     func(*rapid.T) { m.intruded = true; m.chain.intrude() },
		"forget":      func(*rapid.T) { m.chain.forget() },
		"loseAnswers": func(*rapid.T) { m.chain.set(func() { m.chain.loseAnswers = m.draw("answers", 3) }) },
		"swallow":     func(*rapid.T) { m.chain.set(func() { m.chain.swallow = m.draw("swallowed", 3) }) },
		"spike":       func(*rapid.T) { m.chain.set(func() { m.chain.base = uint64(1+m.draw("gwei", 20)) * gwei }) },
		"calm":        func(*rapid.T) { m.chain.set(func() { m.chain.base = gwei }) },
		"strict":      func(*rapid.T) { m.chain.set(func() { m.chain.strict = !m.chain.strict }) },
		"reverts":     func(*rapid.T) { m.chain.set(func() { m.chain.reverts = !m.chain.reverts }) },
		"clock":       func(*rapid.T) { m.chain.set(func() { m.chain.l1++ }) },
		"leave": func(*rapid.T) {
			if len(m.sends) > 0 {
				m.sends[m.draw("caller", len(m.sends))].cancel()
				synctest.Wait()
			}
		},
	}
}

// revive starts the process again when it died.
func (m *model) revive() {
	if m.gate.dead() {
		m.kill()
		m.start()
	}
}

func (m *model) ask(once string) {
	opt := protocol.SendOptions{Once: once, Async: m.draw("async", 3) == 0}
	if m.draw("until", 4) == 0 {
		opt.Until = m.chain.head().L1 + protocol.L1Block(m.draw("l1", 3))
	}
	name := once
	if once == "" {
		name = fmt.Sprintf("plain %d", len(m.sends))
	}
	m.sends = append(m.sends, &asked{m.send(act(name), opt), name, once})
}

// recover ends all faults and lets everything come to its end.
func (m *model) recover() {
	m.chain.set(func() {
		m.chain.base, m.chain.swallow, m.chain.loseAnswers, m.chain.strict, m.chain.reverts = gwei, 0, 0, false, false
	})
	m.kill()
	m.start()
	for range 600 {
		m.beat(1)
		over := true
		for _, s := range m.sends {
			over = over && s.over()
		}
		for _, tx := range m.journal.all() {
			over = over && tx.Settled
		}
		if over {
			return
		}
	}
	m.rt.Fatalf("something never ends: %+v", m.m.Transactions())
}

func (m *model) check() {
	nonces := make(map[uint64]bool)
	for _, r := range m.journal.all() {
		if nonces[r.Nonce] {
			m.rt.Fatalf("nonce %d was given twice: %+v", r.Nonce, m.journal.all())
		}
		nonces[r.Nonce] = true
		switch {
		case r.State == protocol.TxFinal:
		case r.State != protocol.TxFailed && r.State != protocol.TxDropped, r.Code == "":
			m.rt.Fatalf("neither mined nor a reason: %+v", r)
		}
	}
	for n := range nonces {
		if n >= m.chain.used() {
			m.rt.Fatalf("nonce %d was never used", n)
		}
	}
	for _, s := range m.sends {
		m.checkSend(s)
	}
}

func (m *model) checkSend(s *asked) {
	done := m.chain.done(s.name)
	if done > 1 {
		m.rt.Fatalf("%q was done %d times", s.name, done)
	}
	_, isFault := errors.AsType[*fault.Fault](s.err)
	switch {
	case s.err == nil && s.tx.ID == 0, s.err != nil && !isFault && !errors.Is(s.err, context.Canceled) &&
		!errors.Is(s.err, errDead):
		m.rt.Fatalf("%q: no reason: %v", s.name, s.err)
	case s.err == nil && s.tx.State == protocol.TxFinal && done != 1:
		m.rt.Fatalf("%q was final and is not done", s.name)
	case s.err == nil && s.tx.State == protocol.TxMined && done != 1 && !m.intruded && !m.undone:
		m.rt.Fatalf("%q was mined and is not done", s.name)
	}
}

func TestNothingHappensTwiceAndNothingIsForgotten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var failure any
		synctest.Test(t, func(*testing.T) {
			// What ends the property must leave the bubble after its goroutines.
			defer func() { failure = recover() }()
			live(rt)
		})
		if fmt.Sprintf("%T", failure) == "rapid.invalidData" {
			panic(failure) // in a line of its own: rapid knows failures by where they come from
		}
		if failure != nil {
			panic(failure)
		}
	})
}

// live is one life of the account.
func live(rt *rapid.T) {
	replacements := rapid.IntRange(0, 2).Draw(rt, "replacements")
	m := &model{rt: rt, rig: newRig(rt, func(o *txmgr.Options) {
		o.InFlight, o.Replacements, o.MaxGasPrice = 4, replacements, core.NewWei(12*gwei)
	})}
	defer func() {
		m.stop()
		for _, s := range m.sends {
			<-s.done
		}
	}()
	rt.Repeat(m.actions())
	m.recover()
	m.check()
}
