package main

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
)

// looks are what the fake was asked to tell of tickets and money.
func (f *fakeNode) looks() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.looked, "\n")
}

func TestBooksQueries(t *testing.T) {
	t.Parallel()
	tests := []struct{ args, asks, says string }{
		{"tickets list --state failed --gateway 0x0000000000000000000000000000000000000002 --limit 7 --before " +
			"2026-03-01T00:00:00Z",
			adminapi.PathTickets + "?before=2026-03-01T00%3A00%3A00Z" +
				"&gateway=0x0000000000000000000000000000000000000002&limit=7&state=failed", "12 final"},
		{"tickets export", adminapi.PathTickets + "?format=csv", "0x05,failed"},
		{"income --by round,model,worker", adminapi.PathIncome + "?by=round%2Cmodel%2Cworker", "37.5 %"},
		{"income --by day --csv", adminapi.PathIncome + "?by=day&format=csv", "round,received_wei\n7,1\n"},
		{"income workers --csv", adminapi.PathIncomeWorkers + "?format=csv", "gpu-0,1\n"},
		{"spending --csv", adminapi.PathSpending + "?format=csv", "2026-03-01,1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			o := newTool(t)
			if out := o.ok(strings.Fields(tt.args)...); !strings.Contains(out, tt.says) {
				t.Errorf("%s", out)
			}
			if got := o.node.looks(); got != tt.asks {
				t.Errorf("asked for %s, want %s", got, tt.asks)
			}
		})
	}
}

// Half a verb with --help lists what it may become.
func TestHelpOfHalfAVerb(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"price --help", "--help price", "tickets -h"} {
		o := newTool(t)
		status, out, errs := o.run(strings.Fields(args)...)
		if word := strings.Trim(strings.NewReplacer("--help", "", "-h", "").Replace(args), " "); status != exitOK ||
			!strings.Contains(out, "tutti_cli "+word+" ") {
			t.Errorf("%s: status %d\n%s%s", args, status, out, errs)
		}
	}
}

// Only a ticket that failed is taken up again; others are refused before anything is
// asked.
func TestRetryOfAFinalTicket(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.node.with(func() { o.node.ticketState = "final" })
	status, _, errs := o.run("tickets", "retry", "0x0000000000000000000000000000000000000000000000000000000000000005",
		"--yes")
	if status != exitFailed || !strings.Contains(errs, "TicketNotFailed: the ticket is final") || o.node.requests() != "" {
		t.Errorf("status %d\n%s%s", status, errs, o.node.requests())
	}
}

func TestBooksMistakes(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"tickets list --limit 1001", "tickets list --limit x", "tickets list --state odd",
		"tickets list --before yesterday",
		"tickets list --gateway me", "tickets show", "tickets show 0x12", "tickets retry x --yes", "income --csv --json",
		"income --by foo", "income --by day,", "price"} {
		o := newTool(t)
		status, out, errs := o.run(strings.Fields(args)...)
		if status != exitUsage || o.node.looks() != "" || o.node.requests() != "" {
			t.Errorf("%s: status %d\n%s%s\nasked for %s", args, status, out, errs, o.node.looks())
		}
	}
}
