// Package jobdiagnosis explains to an operator why no jobs arrive. From the node's rank in
// the active set, its address, capabilities, prices and answers of the last day it makes a
// list of findings, the most important first.
//
// It only evaluates a NodeState: cmd/tutti collects it; server/admin and
// `tutti doctor explain` show the outcome. Of the conditions of core/health it includes only
// those that keep work away.
//
// reachability.go checks the address under which gateways look for the node: whether what is
// registered, what is advertised and where the machine is seen agree, and whether other machines
// can reach it. It decides from facts and makes no request; server/reachabilitycheck finds the
// facts.
package jobdiagnosis
