// Package byoc has the rules of external capabilities ("bring your own capability"): HTTP servers that register
// with an orchestrator, and whose slots its gateways use by the second.
//
// It reads what capabilities and gateways send, and counts slots. It knows no HTTP and takes no payment: see
// server/byoc, which uses it, and core/orchestrate.
package byoc
