// Package doctor checks whether a node can do its work: named checks examine facts
// about the machine, its network, the chain and the configuration, and say what was
// seen and what to do.
//
// It is pure: every fact comes through a port of World, causes and remedies are those
// of core/fault, and the conditions of a node that runs alongside it count as its own
// node reports them. It opens nothing and changes nothing, except by handing a Repair
// back. cmd/tutti/internal/doctorcmd looks at the world; `tutti doctor` and `tutti init` run the
// checks.
//
// DiagnoseJobs explains why no jobs arrive. From the node's rank in the active set, its address,
// capabilities, prices and answers of the last day, a NodeState that cmd/tutti collects, it makes
// a list of findings, the most important first: for `tutti doctor explain` and the admin API. Of
// the conditions of core/health it includes only those that keep work away.
//
// reachability.go checks the address under which gateways look for the node: whether what is
// registered, what is advertised and where the machine is seen agree, and whether other machines
// can reach it. It decides from facts and makes no request; server/orchestrator finds the
// facts.
package doctor
