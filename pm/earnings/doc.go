// Package earnings makes reports from the ledger: what an orchestrator earned by day, round,
// gateway, model and worker, which worker did which part of the paid work, and what a gateway
// spent on which orchestrator. A report's total is the exact sum of its rows. It is written as
// CSV or as the admin API's answer.
//
// It reads no database, no chain and no clock: it adds up the totals of the ledger, of the
// payment log and of the rewards. server/admin serves its reports; cmd/tutti supplies the data.
package earnings
