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
	// Registered says that it registered the address that was asked, or what named that.
	// Else the offer only says that it is that one's, and nothing may be held against it.
	Registered bool
}

// OwnerOf says whose an offer is that came from an address of the list. The error is
// the fault OrchestratorUnregistered.
//
// Orchestrators are chosen by stake, so an offer must belong to whom the registry has
// for the address that was asked: by its own address, or by the recipient of its
// tickets, where another key signs for the orchestrator. Else anybody could answer in
// the name of one with much stake and be chosen in its place. And the work must not go to the
// registered address of another one, who would be blamed for refusing it.
func (d *Directory) OwnerOf(asked string, info upstream.Info) (Owner, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ownRecipient(asked, info); err != nil {
		return Owner{}, err
	}
	claims := claimsOf(info)
	p := d.places[asked]
	switch {
	case p == nil:
		// It was asked at the address that its own offer gave.
		for _, who := range claims {
			if o, ok := d.stakes[who]; ok {
				return Owner{Address: who, Stake: o.DelegatedStake}, nil
			}
		}
	case p.fixed && len(claims) > 0:
		// The operator named it; whatever stake it has is whose it pays to.
		o := d.stakes[claims[0]]
		at, err := upstream.ParseAddress(o.ServiceURI)
		return Owner{Address: claims[0], Stake: o.DelegatedStake, Registered: err == nil && at == asked}, nil
	case p.fixed:
		return Owner{}, nil
	default:
		for _, who := range claims {
			switch {
			case !slices.Contains(p.owners, who):
			case !d.worksAt(who, info):
				return Owner{}, unregistered(elsewhere)
			default:
				return Owner{Address: who, Stake: d.stakes[who].DelegatedStake, Registered: true}, nil
			}
		}
	}
	return Owner{}, unregistered("neither its address nor the recipient of its tickets is registered there")
}

// elsewhere is what is wrong with an offer of work at an address that is registered for others.
const elsewhere = "it sends work to another orchestrator's address"

// ownRecipient refuses an offer with tickets for an orchestrator that is registered elsewhere, in
// the place of the one whose address was asked: that one could have parameters of the other one
// made in this gateway's name, and with the tickets pass for this gateway there. What the operator
// named may be a further node of any orchestrator. It is called with the lock held.
func (d *Directory) ownRecipient(asked string, info upstream.Info) error {
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
	if p := d.places[asked]; p != nil {
		own = p.fixed || slices.Contains(p.owners, paid)
	} else if was := d.former[asked]; was != "" {
		own = was == paid.String() || strings.Contains(was, "://") // an operator's address
	}
	if own {
		return nil
	}
	return unregistered("its tickets are for another orchestrator")
}

// worksAt reports whether an account may take work at the address that an offer names: one that
// is registered for others alone is not its own. It is called with the lock held.
func (d *Directory) worksAt(who core.Address, info upstream.Info) bool {
	uri, err := upstream.ParseAddress(info.GetTranscoder())
	if err != nil {
		return false
	}
	p := d.places[uri]
	return p == nil || p.fixed || slices.Contains(p.owners, who)
}

// claimsOf are the accounts that an offer names: who is paid, then who signs.
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
	return fault.New(fault.OrchestratorUnregistered, "judge an orchestrator's offer", why)
}

// Terms says whether an offer has what a gateway that pays needs: an address, ticket
// parameters and a price; and that it does not send work to the registered address of
// somebody else, who would be blamed for refusing it. Errors are faults
// OrchestratorUnusable and OrchestratorUnregistered.
func (d *Directory) Terms(info upstream.Info) error {
	unusable := func(why string) error {
		return fault.New(fault.OrchestratorUnusable, "judge an orchestrator's offer", why)
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
		return unusable("its price is none")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	// The same address may be written in more than one way.
	uri, err := upstream.ParseAddress(info.GetTranscoder())
	if err != nil {
		return unusable("its service address is none")
	}
	p := d.places[uri]
	if p == nil || p.fixed {
		return nil
	}
	if !slices.ContainsFunc(claimsOf(info), func(a core.Address) bool { return slices.Contains(p.owners, a) }) {
		return unregistered(elsewhere)
	}
	return nil
}

// Guard puts Terms before a gateway's own judgement of offers.
func (d *Directory) Guard(p upstream.Payments) upstream.Payments { return guarded{p, d} }

type guarded struct {
	upstream.Payments
	directory *Directory
}

// Deal has what is paid counted on the credit of the account that registered the address
// that was asked: the recipient of tickets is the orchestrator's to choose, and could be
// another one each time.
func (g guarded) Deal(info upstream.Info, work upstream.Work) (upstream.Deal, error) {
	if err := g.directory.mayPay(work.Asked, info); err != nil {
		return nil, err
	}
	work.Payee = g.directory.payee(work.Asked, info)
	return g.Payments.Deal(info, work)
}

// mayPay holds terms of any time, also those that renew others, to whom they are for and to where
// they send work.
func (d *Directory) mayPay(asked string, info upstream.Info) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ownRecipient(asked, info); err != nil {
		return err
	}
	p := d.places[asked]
	if p == nil || p.fixed || slices.ContainsFunc(p.owners, func(who core.Address) bool { return d.worksAt(who, info) }) {
		return nil
	}
	return unregistered(elsewhere)
}

// unknownPlaces is on whose credit work is at all addresses of which it is not known any
// more whose they were.
const unknownPlaces = "addresses that are no longer known"

// payee is the account that registered an address, as the chain says: the one that an
// offer from it names, or the first. For an address that the operator named, and further
// nodes that it names, it is that address. An address that is not known any more is whose it
// was, or on one credit with all others that nothing is known of: what an orchestrator does
// with addresses begins no new credit.
func (d *Directory) payee(asked string, info upstream.Info) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.places[asked]
	if p == nil {
		return cmp.Or(d.former[asked], unknownPlaces)
	}
	for _, who := range claimsOf(info) {
		if slices.Contains(p.owners, who) {
			return who.String()
		}
	}
	return p.credit()
}

// Usable says whether an offer is of use to a gateway on the chain.
func (g guarded) Usable(info upstream.Info) error {
	if err := g.directory.Terms(info); err != nil {
		return err
	}
	return g.Payments.Usable(info)
}
