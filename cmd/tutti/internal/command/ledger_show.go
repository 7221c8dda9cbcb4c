package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// ledgerLines is how many accounts and sets `tutti ledger show` lists.
const ledgerLines = 50

// ledgerCheck is what `tutti ledger verify -json` writes. Amounts are exact wei.
type ledgerCheck struct {
	OK       bool     `json:"ok"`
	Entries  int64    `json:"entries"`
	Archived int64    `json:"archived"`
	Accounts int64    `json:"accounts"`
	Sets     int64    `json:"sets"`
	Tickets  int64    `json:"tickets"`
	Winners  int64    `json:"winners"`
	Received pm.Value `json:"received"`
	Billed   pm.Value `json:"billed"`
	Kept     pm.Value `json:"kept"`
	GivenUp  pm.Value `json:"givenUp"`
	Open     pm.Value `json:"open"`
	Problems []string `json:"problems"`
	// More is how many problems are not named.
	More int `json:"more"`
}

func newLedgerCheck(r *ledger.Report) ledgerCheck {
	return ledgerCheck{
		OK: r.OK(), Entries: r.Entries, Archived: r.Archived, Accounts: r.Accounts, Sets: r.Sets, Tickets: r.Tickets,
		Winners:  r.Winners,
		Received: r.Received, Billed: r.Billed, Kept: r.Kept, GivenUp: r.Given, Open: r.Open,
		Problems: append([]string{}, r.Problems...), More: r.More,
	}
}

func writeLedgerCheck(w io.Writer, r *ledger.Report) error {
	fmt.Fprintf(w, "entries   %d, and %d rolled up\n", r.Entries, r.Archived)
	fmt.Fprintf(w, "accounts  %d, sets %d, tickets %d, winners %d\n", r.Accounts, r.Sets, r.Tickets, r.Winners)
	_, err := fmt.Fprintf(w, "received  %v wei\nbilled    %v wei\nkept      %v wei\ngiven up  %v wei\nopen      %v wei\n",
		r.Received, r.Billed, r.Kept, r.Given, r.Open)
	for _, p := range r.Problems {
		_, err = fmt.Fprintln(w, "problem: "+p)
	}
	if r.More > 0 {
		_, err = fmt.Fprintf(w, "and %d problems more\n", r.More)
	}
	if r.OK() {
		_, err = fmt.Fprintln(w, "everything adds up")
	}
	return err
}

// ledgerView is what `tutti ledger show -json` writes.
type ledgerView struct {
	Entries  int64           `json:"entries"`
	Archived int64           `json:"archived"`
	Before   uint64          `json:"rolledUpBefore"`
	Expired  uint64          `json:"expiredUpTo"`
	Epochs   []ledgerEpoch   `json:"epochs"`
	Tickets  map[string]int  `json:"tickets"`
	Accounts []ledgerAccount `json:"accounts"`
	Sets     []ledgerSet     `json:"sets"`
	// OpenAccounts and OpenSets count all; lists have the newest.
	OpenAccounts int `json:"openAccounts"`
	OpenSets     int `json:"openSets"`
}

type ledgerEpoch struct {
	ID     uint64 `json:"id"`
	State  string `json:"state"`
	Opened string `json:"opened"`
	Ended  string `json:"ended,omitempty"`
}

type ledgerAccount struct {
	Sender  string   `json:"sender"`
	Account string   `json:"account"`
	Balance pm.Value `json:"balance"`
	Price   string   `json:"price,omitempty"`
	Opened  string   `json:"opened"`
	Used    string   `json:"used"`
}

type ledgerSet struct {
	Set      string `json:"set"`
	Sender   string `json:"sender"`
	Epoch    uint64 `json:"epoch"`
	Expires  uint64 `json:"expirationBlock"`
	Credited int64  `json:"credited"`
}

func newLedgerView(o *ledger.Overview) *ledgerView {
	v := &ledgerView{
		Entries: o.Entries, Archived: o.Archived, Before: uint64(o.Before), Expired: uint64(o.Expired),
		Tickets: map[string]int{},
		Epochs:  []ledgerEpoch{}, Accounts: []ledgerAccount{}, Sets: []ledgerSet{}, OpenAccounts: o.OpenAccounts,
		OpenSets: o.OpenSets,
	}
	for s, n := range o.Tickets {
		v.Tickets[string(s)] = n
	}
	for _, e := range o.Epochs {
		v.Epochs = append(v.Epochs, ledgerEpoch{uint64(e.ID), e.State, Stamp(e.Opened), Stamp(e.Ended)})
	}
	for _, a := range o.Accounts {
		v.Accounts = append(v.Accounts, ledgerAccount{a.Account.Sender.String(), string(a.Account.Key), a.Value, a.Price,
			Stamp(a.Opened), Stamp(a.Used)})
	}
	for _, s := range o.Sets {
		v.Sets = append(v.Sets, ledgerSet{s.RandHash.String(), s.Sender.String(), uint64(s.Epoch),
			uint64(s.ExpirationBlock), s.Credited})
	}
	return v
}

// writeLedgerView writes the books for people.
func writeLedgerView(w io.Writer, v *ledgerView) error {
	fmt.Fprintf(w, "%d entries, and %d rolled up of rounds before %d; sets expired up to block %d\n", v.Entries,
		v.Archived, v.Before, v.Expired)
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tabs, "\nEPOCH\tSTATE\tOPENED\tENDED")
	for _, e := range v.Epochs {
		fmt.Fprintf(tabs, "%d\t%s\t%s\t%s\n", e.ID, e.State, e.Opened, e.Ended)
	}
	fmt.Fprintln(tabs, "\nWINNING TICKETS\tNUMBER")
	for _, state := range ticketStates(v.Tickets) {
		fmt.Fprintf(tabs, "%s\t%d\n", state, v.Tickets[state])
	}
	fmt.Fprintf(tabs, "\nACCOUNT (%d of %d)\tSENDER\tBALANCE, WEI\tPRICE\tUSED\n", len(v.Accounts), v.OpenAccounts)
	for _, a := range v.Accounts {
		fmt.Fprintf(tabs, "%s\t%s\t%v\t%s\t%s\n", printable(a.Account), a.Sender, a.Balance, a.Price, a.Used)
	}
	fmt.Fprintf(tabs, "\nSET (%d of %d)\tSENDER\tEPOCH\tEXPIRES AT\tTICKETS\n", len(v.Sets), v.OpenSets)
	for _, s := range v.Sets {
		fmt.Fprintf(tabs, "%s\t%s\t%d\t%d\t%d\n", s.Set, s.Sender, s.Epoch, s.Expires, s.Credited)
	}
	return tabs.Flush()
}

// ticketStates returns the states there are, in the order of a ticket's life.
func ticketStates(counts map[string]int) (out []string) {
	for _, s := range []pm.TicketState{
		pm.TicketWon, pm.TicketQueued, pm.TicketSubmitted, pm.TicketMined, pm.TicketFinal, pm.TicketHanded, pm.TicketFailed,
		pm.TicketExpired,
	} {
		if counts[string(s)] > 0 {
			out = append(out, string(s))
		}
	}
	return slices.Clip(out)
}

// printable keeps what a peer chose as a name from moving the cursor.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name)
}
