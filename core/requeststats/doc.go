// Package requeststats remembers what gateways asked of an orchestrator in the last day and
// what it answered: offers, segments and AI jobs, by gateway and by fault code, what it
// wanted for them, and what it could not do.
//
// It is no accounting and no log: counts are kept per hour in bounded memory and are
// gone when the process ends, and nothing is decided by them. core/orchestrate tells it,
// cmd/tutti and the metrics read it.
package requeststats
