// Package live plays strangers, clients and runners that try to get at the live runners, sessions and
// channels of others, or to fill the node by them.
//
// It runs the real binary as an orchestrator with runners of two owners, and is part of the test command.
// It does not look at whether live work is served well: test/e2e does.
package live
