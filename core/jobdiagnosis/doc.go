// Package jobdiagnosis answers an operator's question why no jobs come: from the node's place
// in the active set, its address, what it can do, what it asks, and how it answered
// gateways in the last day it makes plain sentences, the one that matters most first.
//
// It judges facts and asks nobody: cmd/tutti gathers them, server/admin and
// `tutti doctor explain` show the outcome. It is not for conditions in general, which
// core/health keeps; it only takes those in that keep work away.
package jobdiagnosis
