package admin_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/admin"
)

// booked is a node with books.
func booked(t *testing.T) (*station, *fakeBooks) {
	t.Helper()
	b := newBooks()
	return newStation(t, func(o *admin.Options) { o.Books = b.of() }), b
}

func readBook[T any](t *testing.T, got *httptest.ResponseRecorder) (out T) {
	t.Helper()
	if got.Code != 200 {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	if err := json.Unmarshal(got.Body.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTickets(t *testing.T) {
	t.Parallel()
	st, b := booked(t)
	list := readBook[adminapi.Tickets](t, st.get(adminapi.PathTickets))
	if len(list.Tickets) != 2 || list.Counts["final"] != 1 || b.asked.Limit != adminapi.DefaultTickets {
		t.Fatalf("%+v, asked %+v", list, b.asked)
	}
	failed := list.Tickets[0]
	if failed.Hash != failedTicket || failed.Gateway != other || failed.Account != "33_m" || failed.Chance != 2 ||
		failed.Round != 100 || failed.RedeemFrom != 500 ||
		failed.LastRound != 101 || failed.State != "failed" || failed.Tx == nil || failed.Attempts != 2 ||
		failed.Reason != "=TxReverted: used" {
		t.Errorf("%+v", failed)
	}
	if list.Tickets[1].Tx != nil {
		t.Errorf("%+v", list.Tickets[1])
	}
	readBook[adminapi.Tickets](t,
		st.get(adminapi.PathTickets+"?state=won&gateway="+other.String()+"&limit=1000&before=2026-03-01T00:00:00.5Z"))
	want := admin.TicketFilter{State: pm.TicketWon, Gateway: other, Limit: 1000,
		Before: time.Date(2026, 3, 1, 0, 0, 0, 500_000_000, time.UTC)}
	if b.asked != want {
		t.Errorf("asked %+v", b.asked)
	}
	life := readBook[adminapi.TicketLife](t, st.get(adminapi.TicketPath(failedTicket)))
	if life.Ticket.Hash != failedTicket || len(life.Steps) != 2 || life.Steps[1].Reason != "=TxReverted: used" {
		t.Errorf("%+v", life)
	}
}

func TestTicketsRefuse(t *testing.T) {
	t.Parallel()
	st, _ := booked(t)
	for query, want := range map[string]int{
		"?limit=0": 400, "?limit=1001": 400, "?limit=x": 400, "?state=odd": 400, "?gateway=me": 400, "?before=yesterday": 400,
		"?format=xml": 400, "?hash=1": 400,
		"/0x12": 400, "/" + core.Address{}.String(): 400, "/0x" + strings.Repeat("0", 63) + "9": 404,
	} {
		if got := st.get(adminapi.PathTickets + query); got.Code != want {
			t.Errorf("%s: %d %s", query, got.Code, got.Body)
		}
	}
	if got := st.get(adminapi.PathIncome + "?by=week"); got.Code != 400 || !strings.Contains(got.Body.String(), "not by") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

// A retry needs the token, is written down, and says how the ticket stands then.
func TestRetry(t *testing.T) {
	t.Parallel()
	st, b := booked(t)
	path := adminapi.TicketRetryPath(failedTicket)
	if got := ask(st.Server, "POST", path, "{}"); got.Code != 401 || len(b.retried) != 0 {
		t.Errorf("without token: %d %s", got.Code, got.Body)
	}
	if got := st.get(path); got.Code != 405 {
		t.Errorf("GET: %d", got.Code)
	}
	if ticket := readBook[adminapi.Ticket](t, st.post(path, "{}")); ticket.State != "queued" ||
		ticket.Hash != failedTicket || len(b.retried) != 1 {
		t.Errorf("%+v", ticket)
	}
	if book := st.book(t); !strings.Contains(book, path) || !strings.Contains(book, `"done"`) {
		t.Errorf("log of changes:\n%s", book)
	}
	for hash, code := range map[string]fault.Code{failedTicket.String(): fault.TicketNotFailed,
		"0x" + strings.Repeat("0", 63) + "9": fault.TicketUnknown} {
		got := st.post(strings.Replace(adminapi.PathTicketRetry, "{hash}", hash, 1), "{}")
		if !strings.Contains(got.Body.String(), string(code)) {
			t.Errorf("%s: %d %s", code, got.Code, got.Body)
		}
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	st, b := booked(t)
	for path, want := range map[string]string{
		adminapi.PathTickets + "?format=csv":          ",2,'=TxReverted: used\n",
		adminapi.PathIncome + "?by=worker&format=csv": "\ngpu,0,0,2,7,0,3,0,0,0,0,0,0,0,0,0,0,0,0,0,1\n",
		adminapi.PathIncomeWorkers + "?format=csv":    "\ngpu,llm,m,2,7,0,3,1,3.333333333333333333,0\n",
		adminapi.PathSpending + "?format=csv":         "\n2026-03-01," + account.String() + ",llm,m,1,2,8,0,0,0,0,0\n",
	} {
		got := st.get(path)
		if got.Code != 200 || got.Header().Get("Content-Type") != "text/csv; charset=utf-8" ||
			!strings.Contains(got.Body.String(), want) {
			t.Errorf("%s: %d %v\n%s", path, got.Code, got.Header(), got.Body)
		}
	}
	if b.asked.Limit != 0 {
		t.Errorf("the list is cut at %d", b.asked.Limit)
	}
}

func TestMoneyReports(t *testing.T) {
	t.Parallel()
	st, _ := booked(t)
	income := readBook[adminapi.Income](t, st.get(adminapi.PathIncome+"?by=round,day"))
	if strings.Join(income.By, ",") != "day,round" || len(income.Rows) != 1 || income.Rows[0].Day != "2024-10-04" ||
		income.Rows[0].Reward.String() != "6" || income.Total.Billed != "3" {
		t.Errorf("%+v", income)
	}
	workers := readBook[adminapi.WorkerShares](t, st.get(adminapi.PathIncomeWorkers))
	if len(workers.Workers) != 1 || workers.Workers[0].Worker != "gpu" || workers.Total.Share != 1 {
		t.Errorf("%+v", workers)
	}
	payers := readBook[adminapi.Payers](t, st.get(adminapi.PathPayers))
	if len(payers.Gateways) != 1 || payers.Gateways[0].Accounts[0].Balance != "-1.5" {
		t.Errorf("%+v", payers)
	}
	if s := readBook[adminapi.Spending](t, st.get(adminapi.PathSpending)); s.Value != "8" || len(s.Rows) != 1 ||
		s.Balance != "3" || s.WrittenOff != "4" || s.Unsettled != "1" || len(s.WriteOffs) != 1 ||
		s.WriteOffs[0].Reason != "idle" {
		t.Errorf("%+v", s)
	}
}

// A node without books says so by a code; books that cannot be read are no panic.
func TestBooksAbsentOrBroken(t *testing.T) {
	t.Parallel()
	none := newStation(t, nil)
	broken, b := booked(t)
	b.broken = fault.New(fault.LedgerFailed, "read the ledger", "")
	for _, path := range []string{adminapi.PathTickets, adminapi.TicketPath(failedTicket), adminapi.PathIncome,
		adminapi.PathIncomeWorkers, adminapi.PathSpending, adminapi.PathPayers} {
		if got := none.get(path); got.Code != 404 && got.Code != 400 ||
			!strings.Contains(got.Body.String(), "AdminPartAbsent") {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
		if path == adminapi.PathPayers {
			continue
		}
		for _, query := range []string{"", "?format=csv"} {
			if path == adminapi.TicketPath(failedTicket) {
				query = ""
			}
			if got := broken.get(path + query); got.Code != 500 || !strings.Contains(got.Body.String(), "LedgerFailed") {
				t.Errorf("%s%s: %d %s", path, query, got.Code, got.Body)
			}
		}
	}
	handed := newStation(t, func(o *admin.Options) { o.Books = newBooks().of(); o.Books.RetryRedemption = nil })
	if got := handed.post(adminapi.TicketRetryPath(failedTicket), "{}"); !strings.Contains(got.Body.String(),
		"AdminPartAbsent") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}
