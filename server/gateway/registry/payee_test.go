package registry_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/gateway/registry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// payees notes on whose credit work is counted.
type payees struct {
	upstream.FreePayments
	last string
}

func (p *payees) PaymentTerms(info upstream.Info, work upstream.Work) (upstream.PaymentTerms, error) {
	p.last = work.Payee
	return p.FreePayments.PaymentTerms(info, work)
}

// TestPayee: the chain or the operator says whose credit it is, whatever an offer names.
func TestPayee(t *testing.T) {
	t.Parallel()
	const mine = "https://mine.example:1"
	cold := infoOf(uriOf(1), addr(1))
	cold.TicketParams.Recipient = bytesOf(addr(78))
	for name, row := range map[string]struct {
		fixed []string
		asked string
		info  upstream.Info
		want  string
	}{
		"registered":          {nil, uriOf(1), infoOf(uriOf(1), addr(1)), addr(1).String()},
		"another one is paid": {nil, uriOf(1), cold, addr(1).String()},
		"another's account":   {nil, uriOf(1), infoOf(uriOf(1), addr(2)), ""},
		"named, another's":    {[]string{mine}, mine, infoOf(mine, addr(2)), mine},
		"named":               {[]string{mine}, mine, infoOf(mine, addr(1)), mine},
		"named, unknown":      {[]string{mine}, mine, infoOf(mine, addr(9)), mine},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d, _, stop := running(t, newChain(member(1, 1000), member(2, 10)),
					func(o *registry.Options) { o.Fixed = row.fixed })
				defer stop()
				synctest.Wait()
				pays := new(payees)
				if _, err := d.CheckPayments(pays).PaymentTerms(row.info,
					upstream.Work{Asked: row.asked}); (err == nil) != (row.want != "") ||
					pays.last != row.want {
					t.Errorf("%s, %v; want %s", pays.last, err, row.want)
				}
			})
		})
	}
}

// TestTicketsForOthers: tickets are for the account that registered the address that was asked, also at one that
// it has given up, and a further node of it. Of an address that the operator named it is not known.
func TestTicketsForOthers(t *testing.T) {
	t.Parallel()
	const node = "https://node.example:1"
	synctest.Test(t, func(t *testing.T) {
		c := newChain(member(1, 1000), member(2, 10))
		c.answer[uriOf(1)].Nodes = []string{node}
		d, _, stop := running(t, c, func(o *registry.Options) { o.ExtraNodes = 1 })
		defer stop()
		synctest.Wait()
		payTerms := func(asked string, recipient core.Address) error {
			_, err := d.CheckPayments(upstream.FreePayments{}).PaymentTerms(infoOf(asked, recipient),
				upstream.Work{Asked: asked})
			return err
		}
		check := func(asked string) {
			t.Helper()
			if err := errors.Join(payTerms(asked, addr(1)), payTerms(asked, addr(9))); err != nil {
				t.Error(err)
			}
			if err := payTerms(asked, addr(2)); fault.CodeOf(err) != fault.OrchestratorUnregistered {
				t.Errorf("another's tickets at %s: %v", asked, err)
			}
		}
		check(uriOf(1))
		check(node)
		renewed := infoOf(uriOf(2), addr(1)) // own tickets, at another one's address and in its name
		renewed.Address = bytesOf(addr(2))
		if _, err := d.CheckPayments(upstream.FreePayments{}).PaymentTerms(renewed,
			upstream.Work{Asked: uriOf(1)}); err == nil {
			t.Error("renewed terms send work to another one")
		}
		moved := member(1, 1000)
		moved.ServiceURI = "https://moved.example:1"
		c.set(func() { c.pool[0] = moved })
		c.tell(protocol.PoolSeen{})
		synctest.Wait()
		check(uriOf(1))
		check(moved.ServiceURI)
	})
}

// TestPayeesOfOtherAddresses: neither further nodes nor addresses that are given up begin a
// new credit.
func TestPayeesOfOtherAddresses(t *testing.T) {
	t.Parallel()
	const mine, one, two = "https://mine.example:1", "https://one.example:1", "https://two.example:1"
	synctest.Test(t, func(t *testing.T) {
		for name, row := range map[string]struct{ asked, want string }{"named": {mine, mine},
			"registered": {uriOf(1), addr(1).String()}} {
			d, _, stop := running(t, newChain(member(1, 1000)), func(o *registry.Options) {
				o.ExtraNodes = 1
				if o.Named = row.asked == mine; o.Named {
					o.Fixed = []string{mine}
				}
			})
			synctest.Wait()
			pays := new(payees)
			for _, node := range []string{one, two} {
				info := infoOf(row.asked, addr(1))
				info.Nodes = []string{node}
				d.Report(row.asked, info, nil)
				for _, asked := range []string{one, two} {
					if asked == two && node == one {
						continue // not named so far
					}
					if _, err := d.CheckPayments(pays).PaymentTerms(infoOf(asked, addr(9)), upstream.Work{Asked: asked}); err != nil ||
						pays.last != row.want {
						t.Errorf("%s: work at %s while %s is named is on the credit of %s, %v", name, asked, node,
							pays.last, err)
					}
				}
			}
			stop()
		}
	})
}

// TestPayeesOfManyAddresses: an orchestrator that names ever new further nodes begins no new credit, also when there
// are more than are remembered, and does not have the addresses of others forgotten.
func TestPayeesOfManyAddresses(t *testing.T) {
	t.Parallel()
	const nodes, other, left = 300, 2, 3
	synctest.Test(t, func(t *testing.T) {
		chain := newChain(member(1, 1000), member(other, 1000), member(left, 1000))
		d, _, stop := running(t, chain, func(o *registry.Options) { o.ExtraNodes = nodes })
		defer stop()
		synctest.Wait()
		chain.set(func() { chain.pool = chain.pool[:2] })
		chain.tell(protocol.RoundSeen{})
		synctest.Wait()
		pays := new(payees)
		seen := map[string]bool{}
		payee := func(asked string) string {
			if _, err := d.CheckPayments(pays).PaymentTerms(infoOf(asked, addr(9)), upstream.Work{Asked: asked}); err != nil {
				t.Fatal(err)
			}
			return pays.last
		}
		var named []string
		for range 8 {
			info := infoOf(uriOf(1), addr(1))
			for range nodes {
				named = append(named, fmt.Sprintf("https://node%d.example:1", len(named)))
			}
			info.Nodes = named[len(named)-nodes:]
			d.Report(uriOf(1), info, nil)
		}
		for _, asked := range named {
			seen[payee(asked)] = true
		}
		// Those that are not remembered have one credit together.
		if len(seen) != 2 || !seen[addr(1).String()] {
			t.Errorf("work at %d nodes is on %d credits", len(named), len(seen))
		}
		if got := payee(uriOf(left)); got != addr(left).String() {
			t.Errorf("work at another orchestrator's former address is on the credit of %s", got)
		}
	})
}

func bytesOf(a core.Address) []byte { return a[:] }
