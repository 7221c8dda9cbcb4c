// Package activation plans how to become an orchestrator, and how to change its entry on the
// chain: which transactions are left, in which order, at what cost, and what blocks them.
//
// Nothing is stored between the steps: each plan is made from the chain's state, so that an
// interrupted run resumes at the open step. It prompts for nothing and prints nothing; the
// admin API is its caller, and through it tutti_cli.
package activation
