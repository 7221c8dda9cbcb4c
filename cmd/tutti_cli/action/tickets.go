package action

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

type (
	// Tickets is `tickets list`.
	Tickets struct{ adminapi.Tickets }
	// TicketLife is `tickets show`.
	TicketLife struct{ adminapi.TicketLife }
	// TicketRetry is `tickets retry`: the ticket as it is then, or as it is before
	// where nothing was changed.
	TicketRetry struct {
		Ticket adminapi.Ticket `json:"ticket"`
		DryRun bool            `json:"dryRun"`
	}
)

// states are those of a winning ticket, in the order of its life.
func states() []string {
	return []string{"won", "queued", "submitted", "mined", "final", "failed", "expired", "handed"}
}

func ticketVerbs() verb.Table {
	hash := verb.Field{Name: "hash", Word: true, Required: true, Meta: "HASH",
		Help: "the ticket's hash, as `tickets list` shows it", Parse: parseHash}
	return verb.Table{
		{Name: "tickets list", Chain: true, Short: "Winning tickets and what became of them, the newest first.",
			Result: Tickets{},
			Fields: []verb.Field{
				{Name: "state", Meta: "STATE", Help: "only tickets in this state", Choices: states()},
				addressField("gateway", "only tickets of this gateway", ""),
				{Name: "limit", Meta: "N", Help: "at most so many, up to 1000; 100 where it is left out", Parse: parseLimit},
				{Name: "before", Meta: "TIME", Help: "only tickets won before this time, 2026-03-01T00:00:00Z", Parse: parseBefore},
			}, Run: runTickets},
		{Name: "tickets show", Chain: true, Short: "One winning ticket and each step of its life.",
			Fields: []verb.Field{hash}, Result: TicketLife{},
			Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
				life, err := readTicket(ctx, c)
				return TicketLife{life}, err
			}},
		{Name: "tickets retry", Chain: true, Changes: true,
			Short:  "Take up a ticket again that failed, or that ended as expired before its rounds were over.",
			Fields: []verb.Field{hash}, Result: TicketRetry{}, Run: runRetry},
		{Name: "tickets export", Chain: true, Short: "All winning tickets as CSV, or with --json as rows.",
			Result: TicketExport{}, Run: runExport},
	}
}

func parseHash(_ *verb.Call, text string, _ verb.InputCheck) (any, error) {
	var h protocol.Hash
	err := h.UnmarshalText([]byte(text))
	return h, err
}

func parseLimit(_ *verb.Call, text string, _ verb.InputCheck) (any, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > adminapi.MaxTickets {
		return nil, fmt.Errorf("it is a number from 1 to %d", adminapi.MaxTickets)
	}
	return n, nil
}

func parseBefore(_ *verb.Call, text string, _ verb.InputCheck) (any, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, errors.New("it is a time such as 2026-03-01T00:00:00Z")
	}
	return t, nil
}

// with puts a query behind a path.
func with(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// readCSV reads a list for spreadsheets.
func readCSV(ctx context.Context, c *verb.Call, path string, q url.Values) (verb.Result, error) {
	q.Set(adminapi.QueryFormat, adminapi.FormatCSV)
	var text string
	err := c.Node.Get(ctx, with(path, q), &text)
	return Text{text}, err
}

func runTickets(ctx context.Context, c *verb.Call) (verb.Result, error) {
	q := url.Values{}
	if state := verb.Get[string](c, "state"); state != "" {
		q.Set(adminapi.QueryState, state)
	}
	if gateway := verb.Ref[core.Address](c, "gateway"); gateway != nil {
		q.Set(adminapi.QueryGateway, gateway.String())
	}
	if limit := verb.Get[int](c, "limit"); limit > 0 {
		q.Set(adminapi.QueryLimit, strconv.Itoa(limit))
	}
	if before := verb.Ref[time.Time](c, "before"); before != nil {
		q.Set(adminapi.QueryBefore, before.Format(time.RFC3339Nano))
	}
	var answer adminapi.Tickets
	err := c.Node.Get(ctx, with(adminapi.PathTickets, q), &answer)
	return Tickets{answer}, err
}

func readTicket(ctx context.Context, c *verb.Call) (life adminapi.TicketLife, err error) {
	err = c.Node.Get(ctx, adminapi.TicketPath(verb.Get[protocol.Hash](c, "hash")), &life)
	return life, err
}

func runRetry(ctx context.Context, c *verb.Call) (verb.Result, error) {
	life, err := readTicket(ctx, c)
	if err != nil {
		return nil, err
	}
	if state := life.Ticket.State; state != "failed" && state != "expired" {
		return nil, fault.New(fault.TicketNotFailed, "retry a ticket",
			"the ticket is "+state+", and only one that failed or expired is taken up again")
	}
	if c.Set.DryRun {
		return TicketRetry{life.Ticket, true}, nil
	}
	c.Report("The ticket of %s is %s: %s", verb.FormatEther(life.Ticket.FaceValue), life.Ticket.State, life.Ticket.Reason)
	if err := c.Agree(ctx, "Take it up again?"); err != nil {
		return nil, err
	}
	var out adminapi.Ticket
	err = c.Node.Post(ctx, adminapi.TicketRetryPath(life.Ticket.Hash), nil, adminapi.None{}, &out)
	return TicketRetry{Ticket: out}, err
}

// Print writes the tickets under how many there are in each state.
func (a Tickets) Print(p *console.Page) {
	defer p.Flush()
	p.Title("WINNING TICKETS")
	if len(a.Tickets.Tickets) == 0 {
		p.Line("There are none here. %s", countsText(a.Counts))
		return
	}
	p.Line("%s", countsText(a.Counts))
	var rows [][]string
	for i := range a.Tickets.Tickets {
		t := &a.Tickets.Tickets[i]
		rows = append(rows, []string{t.Hash.String(), t.Won.Format(time.RFC3339), t.Gateway.String(), t.Account,
			verb.FormatEther(t.FaceValue), t.State,
			verb.FormatEther(t.Paid), verb.FormatEther(t.GasFee), t.Reason})
	}
	p.Table([]string{"TICKET", "WON", "GATEWAY", "FOR", "FACE VALUE", "STATE", "PAID", "GAS FEE", "REASON"}, rows)
}

func printTicket(p *console.Page, t *adminapi.Ticket) {
	p.Row("Ticket", t.Hash)
	p.Row("Gateway", t.Gateway)
	p.Row("Paid for", t.Account)
	p.Row("Face value", verb.FormatEther(t.FaceValue))
	p.Row("Chance to win", fmt.Sprintf("1 in %.0f", math.Round(t.Chance)))
	state := t.State
	switch {
	case state == "final":
		state = p.Style.Good(state)
	case slices.Contains([]string{"failed", "expired"}, state):
		state = p.Style.Bad(state)
	}
	p.Row("State", state)
	if t.Reason != "" {
		p.Row("Reason", t.Reason)
	}
	p.Row("Redeemable", fmt.Sprintf("from layer-1 block %d until round %d ends", t.RedeemFrom, t.LastRound))
	if t.Tx != nil {
		p.Row("Transaction", *t.Tx)
	}
	if !t.Paid.IsZero() || !t.GasFee.IsZero() {
		p.Row("Paid", verb.FormatEther(t.Paid))
		p.Row("Gas fee", verb.FormatEther(t.GasFee))
	}
}

// Print writes the ticket and its steps.
func (a TicketLife) Print(p *console.Page) {
	defer p.Flush()
	p.Title("WINNING TICKET")
	printTicket(p, &a.Ticket)
	p.Title("ITS LIFE")
	var rows [][]string
	for _, s := range a.Steps {
		tx := "-"
		if s.Tx != nil {
			tx = s.Tx.String()
		}
		rows = append(rows, []string{s.Time.Format(time.RFC3339), s.State, tx, s.Reason})
	}
	p.Table([]string{"SINCE", "STATE", "TRANSACTION", "REASON"}, rows)
}

// Print writes the ticket.
func (a TicketRetry) Print(p *console.Page) {
	defer p.Flush()
	p.Title("WINNING TICKET")
	printTicket(p, &a.Ticket)
	if a.DryRun {
		p.Row("Changed", "nothing (dry run)")
	}
}
