// Package earnings makes reports out of the books: what an orchestrator earned by
// day, round, gateway, model and worker, which worker did which part of the paid
// work, and what a gateway spent on whom. Each report has rows whose exact sums are
// its total, and is written as CSV or as the admin API's answer.
//
// It reads no database and no chain, knows no time and decides nothing: it adds up
// the totals that the ledger, the account of payments and the memory of rewards give
// it. server/admin serves its reports, cmd/tutti feeds it.
package earnings
