package action

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

// TicketExport is `tickets export`: CSV for people's spreadsheets, rows for programs.
type TicketExport struct {
	Tickets []adminapi.Ticket `json:"tickets"`
	csv     string
}

// Print writes the CSV.
func (a TicketExport) Print(p *console.Page) { p.Raw(a.csv) }

func runExport(ctx context.Context, c *verb.Call) (verb.Result, error) {
	if c.Set.JSON {
		all, err := allTickets(ctx, c)
		return TicketExport{Tickets: all}, err
	}
	out, err := readCSV(ctx, c, adminapi.PathTickets, url.Values{})
	if err != nil {
		return nil, err
	}
	return TicketExport{csv: out.(Text).Text}, nil
}

// allTickets reads page after page. Pages overlap by a moment, as several tickets can
// be won in one.
func allTickets(ctx context.Context, c *verb.Call) ([]adminapi.Ticket, error) {
	all, seen := []adminapi.Ticket{}, map[protocol.Hash]bool{}
	q := url.Values{adminapi.QueryLimit: {strconv.Itoa(adminapi.MaxTickets)}}
	for {
		var page adminapi.Tickets
		if err := c.Node.Get(ctx, with(adminapi.PathTickets, q), &page); err != nil {
			return nil, err
		}
		before := len(all)
		for _, t := range page.Tickets {
			if !seen[t.Hash] {
				seen[t.Hash] = true
				all = append(all, t)
			}
		}
		if len(page.Tickets) < adminapi.MaxTickets || len(all) == before {
			return all, nil
		}
		last := page.Tickets[len(page.Tickets)-1].Won
		q.Set(adminapi.QueryBefore, last.Add(time.Nanosecond).Format(time.RFC3339Nano))
	}
}
