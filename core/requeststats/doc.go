// Package requeststats counts what gateways requested from an orchestrator in the last day
// and how it answered: offers, segments and AI jobs by gateway and fault code, the quoted
// prices, and the requested capabilities that it does not have.
//
// It is neither accounting nor a log: counts are kept per hour in bounded memory, are lost
// when the process ends, and decide nothing. core/orchestrate records requests; cmd/tutti
// and the metrics read the counts.
package requeststats
