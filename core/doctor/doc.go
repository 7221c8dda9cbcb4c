// Package doctor checks whether a node can do its work: named checks examine facts
// about the machine, its network, the chain and the configuration, and say what was
// seen and what to do.
//
// It is pure: every fact comes through a port of World, causes and remedies are those
// of core/fault, and the conditions of a node that runs beside it count as its own
// node reports them. It opens nothing and changes nothing, except by handing a Repair
// back. cmd/tutti/internal/doctorcmd looks at the world; `tutti doctor` and `tutti init` run the
// checks.
package doctor
