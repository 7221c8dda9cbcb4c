package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/pm/earnings"
)

// bookEndpoints returns the endpoints of tickets, income and spending.
func bookEndpoints() []endpoint {
	income := get(adminapi.PathIncome, "What the orchestrator earned", adminapi.Income{})
	income.CSV = true
	income.Query = []adminapi.QueryParameter{
		{Name: adminapi.QueryBy, About: "group rows by day, round, gateway, model, worker; several with commas", Text: true},
		formatParameter(),
	}
	workers := get(adminapi.PathIncomeWorkers, "Each worker's share of the paid work", adminapi.WorkerShares{})
	workers.CSV, workers.Query = true, []adminapi.QueryParameter{formatParameter()}
	spending := get(adminapi.PathSpending, "What this gateway paid", adminapi.Spending{})
	spending.CSV, spending.Query = true, []adminapi.QueryParameter{formatParameter()}
	return append(append(ticketEndpoints(), contractEndpoints()...), []endpoint{
		{Route: get(adminapi.PathPayers, "The gateways that have accounts here", adminapi.Payers{}), serve: payersV1},
		{Route: income, serve: incomeV1},
		{Route: workers, serve: workersV1},
		{Route: get(adminapi.PathIncomeOverview,
			"Total income, of today, of this round, by worker and by kind of work, at one moment",
			adminapi.IncomeOverview{}), serve: overviewV1},
		{Route: spending, serve: spendingV1},
		{Route: get(adminapi.PathCredits, "Credits: what each orchestrator was paid and has not worked for",
			adminapi.Credits{}), serve: creditsV1},
		{Route: post(adminapi.PathForgive, "Write off an orchestrator's credit, so that the gateway pays it again",
			adminapi.Forgiveness{}, adminapi.Credits{}), serve: forgiveV1},
	}...)
}

func payersV1(s *Server, r *http.Request) (any, error) {
	if s.opts.Books.Payers == nil {
		return nil, absent("paying gateways")
	}
	return adminapi.Payers{Gateways: orEmpty(s.opts.Books.Payers(r.Context()))}, nil
}

func incomeV1(s *Server, r *http.Request) (any, error) {
	by, err := earnings.ParseBy(r.URL.Query().Get(adminapi.QueryBy))
	if err != nil {
		return nil, badParam("the query parameter by: %v", err)
	}
	if s.opts.Books.Income == nil {
		return nil, absent("income from tickets")
	}
	report, err := s.opts.Books.Income.Income(r.Context(), by)
	switch {
	case err != nil:
		return nil, err
	case wantsCSV(r):
		return csvReport{"income", report}, nil
	}
	return report.Answer(), nil
}

func workersV1(s *Server, r *http.Request) (any, error) {
	if s.opts.Books.Income == nil {
		return nil, absent("income from tickets")
	}
	report, err := s.opts.Books.Income.Workers(r.Context())
	switch {
	case err != nil:
		return nil, err
	case wantsCSV(r):
		return csvReport{"workers", report}, nil
	}
	return report.Answer(), nil
}

func overviewV1(s *Server, r *http.Request) (any, error) {
	if s.opts.Books.Income == nil {
		return nil, absent("income from tickets")
	}
	report, err := s.opts.Books.Income.Overview(r.Context())
	if err != nil {
		return nil, err
	}
	return report.Answer(), nil
}

func spendingV1(s *Server, r *http.Request) (any, error) {
	if s.opts.Books.Spending == nil {
		return nil, absent("payments to orchestrators")
	}
	report, err := s.opts.Books.Spending(r.Context())
	switch {
	case err != nil:
		return nil, err
	case wantsCSV(r):
		return csvReport{"spending", report}, nil
	}
	return report.Answer(), nil
}

func creditsV1(s *Server, _ *http.Request) (any, error) {
	if s.opts.Books.Credits == nil {
		return nil, absent("payments to orchestrators")
	}
	return adminapi.Credits{Credits: orEmpty(s.opts.Books.Credits.Credits())}, nil
}

func forgiveV1(s *Server, r *http.Request) (any, error) {
	address, err := body[adminapi.Forgiveness](r)
	switch {
	case err != nil:
		return nil, err
	case s.opts.Books.Credits == nil:
		return nil, absent("payments to orchestrators")
	}
	if err := s.opts.Books.Credits.Forgive(address.Orchestrator); err != nil {
		return nil, err
	}
	return creditsV1(s, r)
}
