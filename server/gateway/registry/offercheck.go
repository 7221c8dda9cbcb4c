package registry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Owner is the orchestrator that an offer belongs to.
type Owner struct {
	Address core.Address
	Stake   core.LPT
	// Registered says that the owner registered the address that was asked, or its parent.
	// Otherwise only the offer claims this owner, and nothing may be held against it.
	Registered bool
}

// OwnerOf returns the owner of an offer from a listed address. The error is the fault
// OrchestratorUnregistered.
//
// Orchestrators are chosen by stake, so an offer must belong to an owner that the registry has for
// the address that was asked: by its own address, or by the recipient of its tickets, where another
// key signs for the orchestrator. Otherwise any node could claim the stake of another orchestrator
// and be chosen in its place. The work must also not go to the registered address of another
// orchestrator, which would be blamed for refusing it.
func (d *Directory) OwnerOf(asked string, info upstream.Info) (Owner, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.checkRecipientLocked(asked, info); err != nil {
		return Owner{}, err
	}
	claims := claimsOf(info)
	p := d.endpoints[asked]
	switch {
	case p == nil:
		// It was asked at the address that its own offer gave.
		for _, account := range claims {
			if o, ok := d.stakes[account]; ok {
				return Owner{Address: account, Stake: o.DelegatedStake}, nil
			}
		}
	case p.fixed && len(claims) > 0:
		// The operator named it; its stake is that of the account it is paid to.
		o := d.stakes[claims[0]]
		at, err := upstream.ParseAddress(o.ServiceURI)
		return Owner{Address: claims[0], Stake: o.DelegatedStake, Registered: err == nil && at == asked}, nil
	case p.fixed:
		return Owner{}, nil
	default:
		for _, account := range claims {
			switch {
			case !slices.Contains(p.owners, account):
			case !d.worksAtLocked(account, info):
				return Owner{}, unregistered(workElsewhere)
			default:
				return Owner{Address: account, Stake: d.stakes[account].DelegatedStake, Registered: true}, nil
			}
		}
	}
	return Owner{}, unregistered("neither its address nor the recipient of its tickets is registered there")
}

// workElsewhere is the reason to refuse an offer that sends work to an address registered for
// others.
const workElsewhere = "it sends work to another orchestrator's address"

// checkRecipientLocked refuses an offer whose tickets are for an orchestrator that is registered at
// another address. The sender of such an offer could request parameters of that orchestrator in
// this gateway's name, and impersonate this gateway there with the tickets. An endpoint named by
// the operator may be an extra node of any orchestrator.
func (d *Directory) checkRecipientLocked(asked string, info upstream.Info) error {
	raw := info.GetTicketParams().GetRecipient()
	if len(raw) != len(core.Address{}) {
		return nil
	}
	paid := core.Address(raw)
	o, registered := d.stakes[paid]
	if at, err := upstream.ParseAddress(o.ServiceURI); !registered || err == nil && at == asked {
		return nil
	}
	own := true
	if p := d.endpoints[asked]; p != nil {
		own = p.fixed || slices.Contains(p.owners, paid)
	} else if was := d.former[asked]; was != "" {
		own = was == paid.String() || strings.Contains(was, "://") // an operator's address
	}
	if own {
		return nil
	}
	return unregistered("its tickets are for another orchestrator")
}

// worksAtLocked reports whether an account may receive work at the address that an offer names: an
// address that is registered for others only is not its own.
func (d *Directory) worksAtLocked(account core.Address, info upstream.Info) bool {
	uri, err := upstream.ParseAddress(info.GetTranscoder())
	if err != nil {
		return false
	}
	p := d.endpoints[uri]
	return p == nil || p.fixed || slices.Contains(p.owners, account)
}

// claimsOf returns the accounts that an offer names: the ticket recipient, then the signer.
func claimsOf(info upstream.Info) (out []core.Address) {
	for _, raw := range [][]byte{info.GetTicketParams().GetRecipient(), info.GetAddress()} {
		if len(raw) != len(core.Address{}) {
			continue
		}
		if a := core.Address(raw); !a.IsZero() {
			out = append(out, a)
		}
	}
	return out
}

func unregistered(why string) error {
	return fault.New(fault.OrchestratorUnregistered, "check an orchestrator's offer", why)
}

// CheckTerms reports whether an offer has what a paying gateway needs: an address, ticket
// parameters and a price; and that it does not send work to the registered address of another
// orchestrator, which would be blamed for refusing it. Errors are the faults OrchestratorUnusable
// and OrchestratorUnregistered.
func (d *Directory) CheckTerms(info upstream.Info) error {
	unusable := func(why string) error {
		return fault.New(fault.OrchestratorUnusable, "check an orchestrator's offer", why)
	}
	price := info.GetPriceInfo()
	switch {
	case len(info.GetAddress()) == 0:
		return unusable("it names no address")
	case info.GetTicketParams() == nil:
		return unusable("it sent no ticket parameters")
	case price == nil:
		return unusable("it names no price")
	case price.GetPricePerUnit() < 0 || price.GetPixelsPerUnit() <= 0:
		return unusable("its price is not valid")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	// The same address may be written in more than one way.
	uri, err := upstream.ParseAddress(info.GetTranscoder())
	if err != nil {
		return unusable("its service address is not valid")
	}
	p := d.endpoints[uri]
	if p == nil || p.fixed {
		return nil
	}
	if !slices.ContainsFunc(claimsOf(info), func(a core.Address) bool { return slices.Contains(p.owners, a) }) {
		return unregistered(workElsewhere)
	}
	return nil
}

// CheckPayments adds the directory's checks to a gateway's payments.
func (d *Directory) CheckPayments(p upstream.Payments) upstream.Payments {
	return checkedPayments{p, d}
}

type checkedPayments struct {
	upstream.Payments
	directory *Directory
}

// PaymentTerms credits payments to the account that registered the address that was asked: the
// orchestrator chooses the recipient of tickets, and could name another one each time.
func (g checkedPayments) PaymentTerms(info upstream.Info, work upstream.Work) (upstream.PaymentTerms, error) {
	if err := g.directory.checkPayable(work.Asked, info); err != nil {
		return nil, err
	}
	work.Payee = g.directory.payee(work.Asked, info)
	return g.Payments.PaymentTerms(info, work)
}

// checkPayable checks any terms, including renewed ones, for their recipient and their service
// address.
func (d *Directory) checkPayable(asked string, info upstream.Info) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.checkRecipientLocked(asked, info); err != nil {
		return err
	}
	p := d.endpoints[asked]
	if p == nil || p.fixed || slices.ContainsFunc(p.owners,
		func(account core.Address) bool { return d.worksAtLocked(account, info) }) {
		return nil
	}
	return unregistered(workElsewhere)
}

// unknownEndpoints is the common credit key of all addresses whose owner is unknown by now.
const unknownEndpoints = "addresses that are no longer known"

// payee returns the account that registered an address on the chain: the one that an offer from it
// names, or the first. For an address that the operator named, and extra nodes of it, it is that
// address. A dropped address keeps its credit key, or shares one with all unknown addresses:
// changing addresses gives an orchestrator no new credit.
func (d *Directory) payee(asked string, info upstream.Info) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.endpoints[asked]
	if p == nil {
		return cmp.Or(d.former[asked], unknownEndpoints)
	}
	for _, account := range claimsOf(info) {
		if slices.Contains(p.owners, account) {
			return account.String()
		}
	}
	return p.credit()
}

// Usable reports whether a gateway on the chain can use an offer.
func (g checkedPayments) Usable(info upstream.Info) error {
	if err := g.directory.CheckTerms(info); err != nil {
		return err
	}
	return g.Payments.Usable(info)
}
