package config

import "github.com/tuttinode/tutti/core/fault"

// validateTickets checks the ticket amounts against one another, for the roles
// that use them on a chain.
func (l *loader) validateTickets() {
	if l.config.Chain.Offchain() || !l.valid("network") {
		return
	}
	r, t := l.config.Roles, l.config.Tickets
	if (r.Orchestrator || r.Redeemer) && l.valid("ticketEV", "maxFaceValue") {
		switch {
		case t.EV.IsZero():
			l.reportOption(fault.BadOption, "ticketEV", "tickets that are worth nothing pay for nothing",
				"write the default, 8000000000, or leave it out")
		case !t.MaxFaceValue.IsZero() && t.MaxFaceValue.Cmp(t.EV) <= 0:
			l.reportOption(fault.OptionConflict, "maxFaceValue",
				"a ticket that wins always is worth its face value, and -ticketEV asks for "+
					t.EV.String()+" wei a ticket",
				"write more than that, better a hundredfold, or 0 for no bound")
		}
	}
	if !r.Gateway && !r.RemoteSigner {
		return
	}
	for _, o := range []struct {
		name string
		zero bool
	}{{"maxTicketEV", t.MaxEV.IsZero()}, {"maxTotalEV", t.MaxTotalEV.IsZero()}} {
		if o.zero && l.valid(o.name) {
			l.reportOption(fault.BadOption, o.name,
				"with 0 no ticket could be sent, and no orchestrator would be paid", "leave it out for the default")
		}
	}
	if l.valid("maxTicketEV", "maxTotalEV") && t.MaxTotalEV.Cmp(t.MaxEV) < 0 {
		name := "maxTotalEV"
		if _, ok := l.given(name); !ok {
			name = "maxTicketEV"
		}
		l.reportOption(fault.OptionConflict, name,
			"one ticket may be worth -maxTicketEV "+t.MaxEV.String()+" wei, and all of a payment -maxTotalEV "+
				t.MaxTotalEV.String(),
			"make -maxTotalEV at least -maxTicketEV")
	}
	if l.valid("maxCreditEV", "maxTotalEV") && t.MaxCredit().Cmp(t.MaxTotalEV) < 0 {
		l.reportOption(fault.OptionConflict, "maxCreditEV",
			"one payment may be worth -maxTotalEV "+t.MaxTotalEV.String()+" wei, and an orchestrator may hold "+
				"-maxCreditEV "+
				t.MaxCredit().String()+" without work", "make -maxCreditEV at least -maxTotalEV, or lower -maxTotalEV")
	}
}

// validateRedeemer refuses -redeemerCA without -redeemerAddr, and -redeemer on a node that runs off-chain.
func (l *loader) validateRedeemer() {
	if l.valid("redeemerCA", "redeemerAddr") && l.config.TLS.RedeemerCA != "" &&
		l.config.Chain.RedeemerAddr.IsZero() {
		l.reportOption(fault.MissingOption, "redeemerAddr", "-redeemerCA is about the redeemer that it names",
			"write -redeemerAddr host:8935, or leave -redeemerCA out")
	}
	if !l.valid("redeemer", "network") || !l.config.Roles.Redeemer {
		return
	}
	if l.config.Chain.Offchain() {
		l.reportOption(fault.MissingOption, "redeemer", "tickets are redeemed on the chain, and it runs off-chain",
			"write -network "+mainNetwork+" and -ethUrl https://…")
	}
}
