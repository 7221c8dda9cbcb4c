package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// checkPaid goes on with both jobs until a ticket has won and was redeemed, and
// holds what the two parties say of it against one another.
func checkPaid(ctx context.Context, n *node, source clip.Source, m *model, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Minute)
	defer cancel()
	for {
		tickets, income, err := n.books(ctx)
		if err != nil {
			return err
		}
		if t := redeemed(tickets); t != nil {
			return report(ctx, n, t, income, out)
		}
		if err := work(ctx, n, source, m); err != nil {
			return errors.Join(fmt.Errorf("no ticket was redeemed; they are %v", tickets.Counts), err)
		}
	}
}

// work is a segment and an answer. A source that has ended is opened again.
func work(ctx context.Context, n *node, source clip.Source, m *model) error {
	if _, err := chat(ctx, http.DefaultClient, n.gateway, m.id, 20); err != nil {
		return err
	}
	seg, err := source.Next(ctx)
	if errors.Is(err, io.EOF) {
		return wait(ctx, 200*time.Millisecond)
	}
	if err != nil {
		return err
	}
	_, err = push(ctx, n.gateway, stream, seg)
	return err
}

func redeemed(tickets adminapi.Tickets) *adminapi.Ticket {
	for i, t := range tickets.Tickets {
		if t.State == string(pm.TicketMined) || t.State == string(pm.TicketFinal) {
			return &tickets.Tickets[i]
		}
	}
	return nil
}

func report(ctx context.Context, n *node, t *adminapi.Ticket, income adminapi.Income, out io.Writer) error {
	var spending adminapi.Spending
	if err := ask(ctx, n.gatewayAdmin, adminapi.PathSpending, &spending); err != nil {
		return err
	}
	if t.Paid.IsZero() || len(spending.Rows) < 2 {
		return fmt.Errorf("%w: the ticket %s brought %s wei, and the gateway paid for %d kinds of work, want 2",
			errWrong, t.Hash, t.Paid, len(spending.Rows))
	}
	fmt.Fprintf(out, "ok: %d tickets worth %s wei for work of %s wei; %d won, one was redeemed for %s ETH; the gateway "+
		"paid %s wei\n",
		income.Total.Tickets, income.Total.Received, income.Total.Billed, income.Total.Won, t.Paid.Ether(), spending.Value)
	return nil
}

// books returns what the orchestrator says of its tickets and its income.
func (n *node) books(ctx context.Context) (tickets adminapi.Tickets, income adminapi.Income, err error) {
	if err = ask(ctx, n.admin, adminapi.PathTickets, &tickets); err == nil {
		err = ask(ctx, n.admin, adminapi.PathIncome, &income)
	}
	return tickets, income, err
}

func ask(ctx context.Context, admin, path string, into any) error {
	text, err := get(ctx, "http://"+admin+path)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}
